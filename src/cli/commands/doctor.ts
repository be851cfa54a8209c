import { type Config, doubtsAboutSettings, type UpstreamConfig, readConfig } from '../../config/config.ts';
import { goThrough } from '../../shared/net/outbound-proxy.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import { checkCompany } from './doctor/company-check.ts';
import { checkHost } from './doctor/check-host.ts';
import {
  checkDatabase,
  checkInstance,
  checkReading,
  findInstanceOnce,
  refusalToAsk,
} from './doctor/database-checks.ts';
import { checkCertificate, checkDatabaseDisk, checkDisk, checkKeysFile } from './doctor/machine-checks.ts';
import {
  askClientOnce,
  checkClient,
  type ClientQuestion,
  checkMainApi,
  checkModernSide,
  checkRedirectUri,
  knownUpstream,
  NOT_MADE_YET,
} from './doctor/modern-checks.ts';
import { checkOwnClients } from './doctor/own-clients.ts';
import {
  checkMailServer,
  checkOldBackend,
  checkReminders,
  createClockCheck,
} from './doctor/outside-checks.ts';
import {
  type CheckFinding,
  notLookedAt,
  ok,
  type CheckVerdict,
  warning,
} from '../../domain/checks/verdict.ts';
import { examine, lineOf } from './doctor/verdict.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Result } from './result.ts';

type Check = readonly [name: string, run: () => Promise<CheckVerdict>];

/** Every exchange with another machine has its own, shorter limit. This one stops servers that answer drop by drop. */
const REMOTE_LIMIT = 40 * SECOND;

/** The settings were read before any check. What is doubtful in them refuses no start, so it is a warning. */
async function checkSettings(): Promise<CheckVerdict> {
  const doubts = doubtsAboutSettings();
  return doubts.length === 0 ? ok('usable') : warning(`usable, and doubtful: ${doubts.join('; ')}`);
}

/** The checks that ask no other machine, one after the other: two of these checks open the database. */
async function examineHere(
  config: Config,
  find: ReturnType<typeof findInstanceOnce>,
): Promise<CheckFinding[]> {
  const checks: Check[] = [
    ['settings', checkSettings],
    ['keys', () => checkKeysFile(config)],
    ['certificate', () => checkCertificate(config)],
    ['host', () => checkHost(config)],
    ['disk', () => checkDisk(config)],
    ['database disk', () => checkDatabaseDisk(config)],
    ['database', () => checkDatabase(config)],
    ['instance', () => checkInstance(find)],
    ['refreshing', () => checkReading(find, 'refreshing')],
    ['dates', () => checkReading(find, 'dates')],
    ['budget', () => checkReading(find, 'budget')],
    ['reminders', () => checkReminders(config)],
  ];
  const findings: CheckFinding[] = [];
  for (const [name, run] of checks) findings.push(await examine(name, run));
  return findings;
}

/** The checks that ask other servers, side by side. */
function remoteChecks(
  config: Config,
  find: ReturnType<typeof findInstanceOnce>,
  hear: ReturnType<typeof createClockCheck>['hear'],
): Check[] {
  const { embedded } = config;
  const ofUpstream = (run: (known: UpstreamConfig) => Promise<CheckVerdict>) => async () => {
    const upstream = knownUpstream(config);
    return upstream === undefined ? NOT_MADE_YET : run(upstream);
  };
  let question: ClientQuestion | undefined;
  const askClient = (known: UpstreamConfig) => (question ??= askClientOnce(config, known, hear));
  return [
    ['authorization server', ofUpstream((known) => checkModernSide(config, known))],
    ['client', ofUpstream((known) => checkClient(known, askClient(known)))],
    [
      'redirect URI',
      ofUpstream((known) => checkRedirectUri(config, known, { hear, askClient: askClient(known) })),
    ],
    ['own clients', ofUpstream((known) => checkOwnClients(config, known, { find, hear }))],
    ['new API', ofUpstream((known) => checkMainApi(known, hear))],
    [
      'old API',
      async () =>
        embedded.oldApiPort !== undefined && knownUpstream(config) === undefined
          ? NOT_MADE_YET
          : checkOldBackend(config, hear),
    ],
    ['mail server', () => checkMailServer(config)],
    ['company sign-in', () => checkCompany(config)],
  ];
}

/** Runs every check. A check that asks another server takes at most `limit` milliseconds. */
export async function examineAll(config: Config, limit = REMOTE_LIMIT): Promise<CheckFinding[]> {
  goThrough(config.outboundProxy);
  const find = findInstanceOnce(config);
  const here = await examineHere(config, find);
  const refusal = await refusalToAsk(find);
  const clock = createClockCheck();
  const remote = await Promise.all(
    remoteChecks(config, find, clock.hear).map(([name, run]) =>
      examine(name, async () => refusal ?? run(), limit),
    ),
  );
  const last = [
    await examine('clock', clock.check),
    await examine('public address', async () =>
      notLookedAt(`only a call from outside shows whether ${config.publicUrl} leads to this bridge`),
    ),
  ];
  return [...here, ...remote, ...last];
}

/** `doctor`: every check with its finding, also the checks that could not look. Fails when one check fails. */
export async function doctor(): Promise<Result> {
  const findings = await examineAll(readConfig());
  const isFailed = findings.some(({ state }) => state === 'failed');
  const lines = findings.map((finding) => lineOf(finding));
  const painted = (paint: Paint) => findings.map((finding) => lineOf(finding, paint));
  return { ok: !isFailed, lines, painted, json: { findings } };
}
