import { join } from 'node:path';
import type { Config, UpstreamConfig } from '../config/config.ts';
import type { Context } from '../domain/context.ts';
import { createSingleFlight } from '../domain/work/single-flight.ts';
import { createFleetSize } from '../domain/grants/refresh/fleet-size.ts';
import { createRefreshLimit } from '../domain/grants/refresh/refresh-limit.ts';
import { createWaitingCallers } from '../domain/grants/refresh/waiting-callers.ts';
import { createClaimAge } from '../domain/grants/refresh/claim-age.ts';
import { openKeyring } from '../domain/keys/keyring.ts';
import { openInstanceWatch } from '../domain/instance/instance-watch.ts';
import { createDeferredTokenLookup } from '../domain/usage/deferred-token-lookup.ts';
import { watchLifecycle } from '../domain/lifecycle/lifecycle-watch.ts';
import { createLiveFeed } from '../domain/live/live-feed.ts';
import { createOverload } from '../domain/limits/overload/overload.ts';
import { createWantedCount } from '../domain/progress/wanted-count.ts';
import { createSharedCounts } from '../domain/limits/shared-counts.ts';
import { createUsageLog } from '../domain/usage/usage.ts';
import { createShutdown } from '../domain/work/shutdown.ts';
import { createTroubleLog } from '../domain/work/trouble-log.ts';
import { createWebhookPlaces } from '../domain/webhooks/places.ts';
import { type Clock, machineClock } from '../shared/clock.ts';
import { newHexId } from '../shared/ids.ts';
import { createLogger, type Logger } from '../shared/log/logger.ts';
import { createRefusalLog } from '../shared/log/refusal-log.ts';
import { reduceError } from '../shared/log/redaction.ts';
import { createMailer } from '../shared/mail/mailer.ts';
import { goThrough } from '../shared/net/outbound-proxy.ts';
import { createMetrics } from '../shared/metrics/metrics.ts';
import { forgetBudget } from '../store/limits/budgets.ts';
import { startDatabaseClock } from '../store/driver/database-clock.ts';
import { findLostDatabase, openEpochFile } from '../store/files/epoch-file.ts';
import { isKeysFileThere, loadKeys } from '../store/files/keys-file.ts';
import { openStore } from '../store/driver/open-store.ts';
import { withNextStep } from '../store/driver/refused-access.ts';
import { isStorageFault } from '../store/driver/storage-fault.ts';
import { openSpill } from '../store/files/spill.ts';
import type { MetricsSnapshot } from '../shared/metrics/summed-workers.ts';
import type { UpstreamMetrics } from '../shared/metrics/upstream-metrics.ts';
import type { TraceRecorder } from '../shared/trace/tracing.ts';
import type { Store } from '../store/driver/store.ts';
import { type CompanyProvider, createCompanyProvider } from '../upstream/company/company-provider.ts';
import { createModernSides } from '../upstream/modern-sides.ts';
import { measuredOldBackend } from '../upstream/measured.ts';
import { createOldBackend, type OldBackend } from '../upstream/old-backend.ts';
import { type SilenceCheck, silencedOldBackend } from '../upstream/silence.ts';

/** The composition root: builds the whole context of the use cases, once. Commands need no more than this context. */

export interface Overrides {
  clock?: Clock;
  /** The metrics of all workers, for a worker. Without it this process serves alone. */
  gatherMetrics?: () => Promise<MetricsSnapshot[]>;
  logger?: Logger;
  /** Records traces. Commands record none. */
  tracing?: TraceRecorder | undefined;
  /** Trusted for webhooks in the place of Node's own authorities, for receivers of a test. */
  webhookAuthority?: string | undefined;
  /** For a command that only reads: new keys of the key file are not registered in the database. */
  isLook?: boolean;
  /** The new API begins with this start and has counted no call: the budget kept from an earlier run is out of date. */
  modernBegins?: boolean;
}

/** The context of the use cases, and the way to close everything that was opened for the context. */
export interface OpenContext {
  context: Context;
  close(): Promise<void>;
}

interface ContextInput {
  config: Config;
  logger: Logger;
  /** The clock of a test, instead of the clocks of the database and the machine. */
  own: Clock | undefined;
  /** The client whose kept budget is out of date. */
  budgetOf: string | undefined;
  isLook: boolean;
}

/** The file in which this machine remembers its database. */
export function epochFileOf({ varDir }: Pick<Config, 'varDir'>): string {
  return join(varDir, 'epoch.json');
}

/**
 * A database that opens and then does not answer gives an error that names no setting. This error names DATABASE_URL.
 */
function ofDatabase(cause: unknown): Error {
  return new Error(`DATABASE_URL: ${withNextStep(cause, reduceError(cause).message)}`, { cause });
}

/**
 * Opens the parts that need the open store. A failure closes the store, because its connections keep the process alive.
 */
async function openBeside({ config, logger, own, budgetOf, isLook }: ContextInput, store: Store) {
  const clock = own ?? machineClock;
  try {
    if (budgetOf !== undefined) await forgetBudget(store, budgetOf);
    const processId = newHexId();
    const spill = openSpill(join(config.varDir, 'spill'));
    // A missing key file is made anew where the database is new too, but never in production.
    const keys = { file: config.keysFile, mayCreate: !config.production, isLook };
    const keyring = await openKeyring({ store, spill, logger, processId, ...keys });
    const file = openEpochFile(epochFileOf(config), config.database);
    try {
      const instance = await openInstanceWatch({ store, file, clock, logger });
      const databaseClock = await startDatabaseClock(store);
      const dated = { store, clock: own ?? databaseClock, logger };
      const lifecycle = await watchLifecycle(dated);
      return { processId, keyring, instance, spill, databaseClock, lifecycle };
    } catch (error) {
      await keyring.stop();
      throw error;
    }
  } catch (error) {
    await store.close();
    throw isStorageFault(error) ? ofDatabase(error) : error;
  }
}

function openOldBackend(
  { oldBackendUrl }: Config,
  silence: SilenceCheck,
  observers: { metrics: UpstreamMetrics; tracing: TraceRecorder | undefined },
): OldBackend | undefined {
  if (oldBackendUrl === undefined) return undefined;
  return silencedOldBackend(measuredOldBackend(createOldBackend(oldBackendUrl), observers), silence);
}

function companyProviderOf({ company, companySecret: clientSecret }: Config): CompanyProvider | undefined {
  return company && clientSecret ? createCompanyProvider({ ...company, clientSecret }) : undefined;
}

/** The memory of one process about the grants that the process refreshes. */
function createRefreshMemory(known: Pick<Context, 'store' | 'clock'>) {
  return {
    flights: createSingleFlight(),
    places: createRefreshLimit(),
    watch: createClaimAge(known.clock),
    fleet: createFleetSize(known),
    silentTurn: { turn: undefined, at: 0 },
    callers: createWaitingCallers(),
  };
}

/** Of one app in a minute; the others are counted. */
const LAST_KNOWN_LINES = 20;

/** The memory of one process about the calls that the process answers. */
function createCallMemory(
  known: Pick<Context, 'store' | 'clock' | 'logger' | 'vault' | 'processId'>,
): Pick<Context, 'counts' | 'usage' | 'lateTokens' | 'live' | 'lastKnownLines'> {
  return {
    lastKnownLines: createRefusalLog({ logger: known.logger, lines: LAST_KNOWN_LINES }),
    counts: createSharedCounts(known),
    usage: createUsageLog(known),
    lateTokens: createDeferredTokenLookup(known),
    live: createLiveFeed(known),
  };
}

interface OpenBeside {
  databaseClock: { stop(): void };
  stopCounting: () => void;
}

async function closeParts(
  { lifecycle, usage, keyring, store, tracing }: Context,
  { databaseClock, stopCounting }: OpenBeside,
): Promise<void> {
  databaseClock.stop();
  await lifecycle.stop();
  stopCounting();
  await usage.close();
  await keyring.stop();
  await store.close();
  await tracing?.stop();
}

function createTroubles(logger: Logger): Context['troubles'] {
  const jobs = { message: 'a job failed', again: 'jobs run again' };
  const leases = { message: 'leases do not work', again: 'leases work again' };
  const reads = {
    message: 'more reads come than the new API answers, some callers get the last known answer or 503',
    again: 'every read of the new API finds a place again',
  };
  return {
    reads: createTroubleLog({ logger, level: 'warn', ...reads }),
    jobs: createTroubleLog({ logger, level: 'error', ...jobs }),
    leases: createTroubleLog({ logger, level: 'warn', ...leases }),
  };
}

function webhooksOf(
  { webhookNetworks: networks }: Config,
  { webhookAuthority: authority }: Overrides,
): Context['webhooks'] {
  return { reach: { networks, authority }, places: createWebhookPlaces() };
}

/** The settings. An unset settings address of the new API is derived from its authorization address. */
function settingsFor(config: Config, { authUrl }: UpstreamConfig): Context['settings'] {
  return {
    ...config,
    modernSettingsUrl: config.modernSettingsUrl ?? `${authUrl}/settings`,
    importFolder: join(config.varDir, 'imports'),
  };
}

/** What this process has to do. */
const createOwnWork = ({ overloadWait }: Config) => ({
  overload: createOverload(overloadWait),
  wantedCount: createWantedCount(),
});

/** Throws in plain words before a database is made, or gets a newer schema. */
async function refuseUnusable(config: Config): Promise<void> {
  const lost = await findLostDatabase(epochFileOf(config), config.database);
  if (lost !== undefined) throw new Error(lost);
  if (isKeysFileThere(config.keysFile)) loadKeys(config.keysFile);
}

/**
 * Opens keys, databases and the clients of the new API; serves nothing. Rejects in plain words when keys, database and
 * settings do not fit.
 */
export async function openContext(
  config: Config,
  upstream: UpstreamConfig,
  overrides: Overrides = {},
): Promise<OpenContext> {
  const logger = overrides.logger ?? createLogger({ level: config.logLevel, name: 'bridge' });
  const [metrics, { tracing }] = [createMetrics(), overrides];
  goThrough(config.outboundProxy);
  await refuseUnusable(config);
  const store = await openStore(config.database, metrics.process.database);
  const stopCounting = metrics.alarms(logger);
  const budgetOf = overrides.modernBegins ? upstream.clientId : undefined;
  const opening = { config, logger, own: overrides.clock, budgetOf, isLook: overrides.isLook === true };
  const { databaseClock, ...beside } = await openBeside(opening, store);
  const { keyring, instance } = beside;
  const clock = overrides.clock ?? databaseClock;
  const sides = createModernSides({
    ...upstream,
    clock,
    logger,
    silence: () => instance.why(),
    metrics: metrics.upstream,
    tracing,
  });
  const context: Context = {
    settings: settingsFor(config, upstream),
    store,
    clock,
    databaseClock: overrides.clock ? undefined : databaseClock,
    vault: keyring.vault,
    ...beside,
    logger,
    metrics,
    tracing,
    troubles: createTroubles(logger),
    mailer: createMailer(config.mail),
    webhooks: webhooksOf(config, overrides),
    server: sides.serverFor(upstream),
    sides,
    company: companyProviderOf(config),
    oldBackend: openOldBackend(config, () => instance.why(), { metrics: metrics.upstream, tracing }),
    shutdown: createShutdown(),
    ...createRefreshMemory({ store, clock }),
    ...createCallMemory({ store, clock, logger, vault: keyring.vault, processId: beside.processId }),
    ...createOwnWork(config),
    anchorsFile: join(config.varDir, 'history-anchors.ndjson'),
    chance: Math.random,
  };
  return { context, close: () => closeParts(context, { databaseClock, stopCounting }) };
}
