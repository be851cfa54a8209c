import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { buildInfo } from '../domain/instance/build-info.ts';
import type { Context } from '../domain/context.ts';
import { followSettings, warnOfIdleSettings } from '../domain/lifecycle/fill-dates.ts';
import { findProductionProblem } from '../domain/instance/prove-production.ts';
import { startSealing } from '../domain/history/seal-history.ts';
import { sweepImports } from '../domain/import/import-rows.ts';
import { watchFiles, watchProcess } from '../domain/metrics/watch-process.ts';
import { watchOverload } from '../domain/limits/overload/watch-overload.ts';
import { startSharing } from '../domain/limits/share-limits.ts';
import { findFolderProblem } from '../domain/instance/foreign-folder.ts';
import { createBridgeApp } from '../http/app.ts';
import { type RunningServer, startServer } from '../http/server.ts';
import { startJobs } from '../jobs/schedule.ts';
import { STOP_LIMIT, STORE_LIMIT } from '../shared/lifetimes.ts';
import { tellHeldCounts } from '../shared/log/held-counts.ts';
import { createLogger } from '../shared/log/logger.ts';
import { openUncleanEnd } from '../store/files/unclean-end.ts';
import { releaseLeasesOf } from '../store/work/leases.ts';
import { openEpochFile } from '../store/files/epoch-file.ts';
import { noteCounting } from '../store/usage/known-calls.ts';
import { openTracing } from './open-tracing.ts';
import { epochFileOf, openContext, type Overrides, type OpenContext } from './open-context.ts';

/** The running bridge: its use cases, the server in front of them, and their scheduled jobs. */

export interface StopOptions {
  /** An uncaught error ends the process. No call is accepted any more, not even during the drain. */
  isFailing?: boolean;
}

export interface Bridge {
  context: Context;
  url: string;
  /** Serves on for DRAIN_SECONDS, then ends within STOP_LIMIT. Accepted calls are not cut within these times. */
  close(options?: StopOptions): Promise<void>;
}

/** Without a mail server, mails become files, and the files would be counted as mails that reached people. */
const NO_REMINDERS =
  'no reminders are planned or sent: set SMTP_URL, production needs a mail server for reminders. The dates come even if nobody was told';

/**
 * Asked before anything is written that a bridge writes when it begins to serve.
 * @throws {Error} in plain words where VAR_DIR belongs to another database, or this database may not serve in production
 */
export async function requireServable({ context }: OpenContext, config: Config): Promise<void> {
  const file = openEpochFile(epochFileOf(config), config.database);
  const problem =
    (await findFolderProblem(context, file, config.varDir)) ??
    (config.production ? await findProductionProblem(context) : undefined);
  if (problem !== undefined) throw new Error(problem);
}

/** The parts of a running bridge, in the order of their start. */
interface BridgeParts {
  opened: OpenContext;
  stopSharing: () => Promise<void>;
  stopWatching: () => void;
  server: RunningServer;
  stopJobs: () => Promise<void>;
  stopSealing: () => Promise<void>;
  /** Aborts when the process fails. Then the drain is skipped, and a running drain ends. */
  failing: AbortController;
}

/** The least time for work that the calls began, where the calls took nearly all of it. */
const WORK_LEAST = STORE_LIMIT / 2;

/**
 * Waits for the work under way, and leaves time for what is in memory. A received token pair is in the spill by then. What a
 * job left is taken up by the next start, so its lease is given back.
 */
async function endWork({ flights, logger, processId, store }: Context, begun: number): Promise<void> {
  const left = STOP_LIMIT - STORE_LIMIT - (performance.now() - begun);
  const waited = new AbortController();
  const isOver = await Promise.race([
    flights.close().then(() => true),
    delay(Math.max(left, WORK_LEAST), false, { signal: waited.signal }),
  ]);
  waited.abort();
  if (isOver) return;
  logger.error('work did not end in time, the process ends without it');
  // A lease that cannot be given back expires.
  await releaseLeasesOf(store, processId).catch(() => undefined);
}

/** Ends the work under way, then writes the state that is in memory. Accepted calls are not cut within STOP_LIMIT. */
async function end({ opened, stopSharing, stopWatching, server, stopSealing }: BridgeParts): Promise<void> {
  const { context } = opened;
  const begun = performance.now();
  context.live.end();
  const cut = await server.close();
  if (cut > 0)
    context.logger.error('calls did not end in time, the bridge closed their connections', { calls: cut });
  await context.lateTokens.close();
  await context.live.stop();
  await endWork(context, begun);
  await stopSealing();
  await context.instance.stop();
  await stopSharing();
  stopWatching();
  await opened.close();
}

/** Stops in this order: the balancer learns of the stop first, then callers, then background work. */
async function stop(parts: BridgeParts, drain: number): Promise<void> {
  const { failing, opened } = parts;
  const { context } = opened;
  context.shutdown.begin(drain);
  parts.server.sayClose();
  await parts.stopJobs();
  await delay(drain, undefined, { signal: failing.signal }).catch(() => context.shutdown.begin(0));
  const limit = delay(STOP_LIMIT, false, { ref: false });
  const isEnded = await Promise.race([end(parts).then(() => true), limit]).finally(() =>
    tellHeldCounts(context.logger),
  );
  // By then a received token pair is in the spill. Other data that waits for an unreachable database is lost.
  if (!isEnded)
    context.logger.error('the stop took too long, the process ends without the rest', { limit: STOP_LIMIT });
}

/**
 * Closes the parts that are already open, the newest last in the list. A start that fails must close them: open parts
 * would keep the process alive.
 */
type CloseSteps = Array<() => Promise<unknown>>;

/** What the server needs besides the context. */
type ServeOptions = Config & { gatherMetrics: Overrides['gatherMetrics'] };

async function serveFrom(
  opened: OpenContext,
  { gatherMetrics, ...config }: ServeOptions,
  undo: CloseSteps,
): Promise<BridgeParts> {
  const { context } = opened;
  await requireServable(opened, config);
  sweepImports(context);
  await noteCounting(context.store.volatile, context.clock.now());
  await followSettings(context, config.dates);
  await warnOfIdleSettings(context, config.dates);
  if (!config.sendsReminders) context.logger.warn(NO_REMINDERS);
  const { metricsToken: token } = config;
  const { answer, messages, requestWait, findUnready } = createBridgeApp({
    ...config,
    context,
    metrics: { token, gather: gatherMetrics },
  });
  const wasUnclean = openUncleanEnd(config.varDir, context.clock.now());
  const watched = [
    watchProcess(context, { wasUnclean, findUnready }),
    watchOverload({ ...context, requestWait }),
  ];
  const stopWatching = () => watched.forEach((stopOne) => stopOne());
  undo.push(async () => stopWatching());
  const stopSharing = await startSharing(context);
  undo.push(stopSharing);
  const server = await startServer({ ...config, messages, logger: context.logger }, answer);
  undo.push(() => server.close());
  watchFiles(context, server.isCertificateUsable);
  await context.instance.start();
  undo.push(() => context.instance.stop());
  context.live.start();
  const stopJobs = startJobs(context);
  const failing = new AbortController();
  const parts = { opened, stopSharing, stopWatching, server, stopJobs, failing };
  return { ...parts, stopSealing: startSealing(context) };
}

/** Starts all parts. When one part fails to start, the others are closed again. */
async function startParts(opened: OpenContext, options: ServeOptions): Promise<BridgeParts> {
  const undo: CloseSteps = [() => opened.close()];
  try {
    return await serveFrom(opened, options, undo);
  } catch (error) {
    // A part that cannot be closed is left to the end of the process: the first error is the one to report.
    for (const close of undo.toReversed()) await close().catch(() => undefined);
    throw error;
  }
}

/**
 * Starts the bridge as a client of the new API.
 * @throws {Error} in plain words when keys, database, certificate or address are not usable; then nothing is left open
 */
export async function startBridge(config: Config, overrides: Overrides = {}): Promise<Bridge> {
  if (!config.upstream) {
    throw new Error('no new API is set: set MODERN_AUTH_URL, MODERN_API_URL and MODERN_CLIENT_ID');
  }
  const logger = overrides.logger ?? createLogger({ level: config.logLevel, name: 'bridge' });
  const tracing = await openTracing(config, logger);
  const opened = await openContext(config, config.upstream, { ...overrides, logger, tracing });
  const { context } = opened;
  const { gatherMetrics } = overrides;
  const parts = await startParts(opened, { ...config, gatherMetrics });
  const { server, failing } = parts;
  context.logger.info('the bridge serves', { port: server.port, ...buildInfo() });
  let stopping: Promise<void> | undefined;
  return {
    context,
    url: `${config.tls ? 'https' : 'http'}://${config.host}:${server.port}`,
    close({ isFailing = false } = {}) {
      if (isFailing) {
        server.refuse();
        failing.abort();
      }
      return (stopping ??= stop(parts, isFailing ? 0 : config.drain));
    },
  };
}
