import { existsSync, statSync } from 'node:fs';
import { epochFileOf } from '../workshop.ts';
import { type Config, readConfig } from '../config.ts';
import { upstreamFor } from '../embedded-client.ts';
import type { Context } from '../domain/context.ts';
import { hasOldApi, outlookOfRetirement } from '../domain/cut-over/outlook.ts';
import { isDoubtful } from '../domain/cut-over/outlook-words.ts';
import { findPlaceProblem } from '../domain/judge-instance.ts';
import { findRefreshTrouble, troubleWords } from '../domain/grants/refresh-trouble.ts';
import { machineClock } from '../shared/clock.ts';
import { momentText } from '../shared/moments.ts';
import { reduceError } from '../shared/redaction.ts';
import { findLostDatabase } from '../store/epoch-file.ts';
import { loadKeys } from '../store/keys-file.ts';
import { describeLocation, isMissing } from '../store/open-store.ts';
import { createAuthorizationServer } from '../upstream/authorization-server.ts';
import { createOldBackend } from '../upstream/old-backend.ts';
import { outlookLines } from './cut-over.ts';
import { examineDates } from './dates.ts';
import type { Result } from './result.ts';
import { withWorkshop } from './with-workshop.ts';

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
}

/** `instance` answers which database this is, found out once for all checks. */
type Check = (config: Config, instance: () => Promise<Instance>) => Promise<string>;

/** Which database this is; `unknown` where it does not open, which is a finding of its own. */
type Instance =
  | 'none yet'
  | 'unknown'
  | (Record<'why' | 'problem', string | undefined> & Record<'dates' | 'refreshing' | 'budget', string>);

/** Nobody has to end what ends by itself: this is told and fails nothing. */
async function examineRefreshing(context: Context): Promise<string> {
  const trouble = await findRefreshTrouble(context);
  return trouble === undefined ? 'goes on' : `WARNING: ${troubleWords(trouble, momentText)}`;
}

/** Of more connected tokens than these the last count of the running bridge serves. */
const TOKENS_COUNTED = 20_000;

/** Whether the clients at the new API can carry what the retirement will bring them; this fails nothing either. */
async function examineBudget(context: Context): Promise<string> {
  if (!hasOldApi(context)) return 'no old API answers any call';
  const outlooks = await outlookOfRetirement(context, TOKENS_COUNTED);
  if (outlooks.length === 0) return 'no connected token has still to move to the new API';
  const words = outlookLines(context, outlooks).join(' ');
  return isDoubtful(outlooks) ? `WARNING: at the retirement, ${words}` : `at the retirement, ${words}`;
}

async function findInstance({ database, dates }: Config): Promise<Instance> {
  if (isMissing(database)) return 'none yet';
  const finding = withWorkshop(async ({ context }) => {
    const { instance, store } = context;
    const problem = instance.findProblem() ?? findPlaceProblem(await store.place());
    return {
      why: instance.why(),
      problem,
      dates: await examineDates(context, dates),
      refreshing: await examineRefreshing(context),
      budget: await examineBudget(context),
    };
  });
  return finding.catch(() => 'unknown');
}

async function checkInstance(_config: Config, findOnce: () => Promise<Instance>): Promise<string> {
  const instance = await findOnce();
  if (typeof instance === 'string') return 'not known before the database opens';
  const { why, problem } = instance;
  if (why !== undefined)
    throw new Error(
      `a restored copy, which sends nothing to the modern side: ${why}. Once the original is stopped for good: grantbridge restore --take-over`,
    );
  const original = 'the original, which talks to the modern side';
  return problem === undefined ? original : `${original}. WARNING: ${problem}`;
}

async function checkDates(_config: Config, findOnce: () => Promise<Instance>): Promise<string> {
  const instance = await findOnce();
  if (instance === 'none yet') return 'those of the settings count from the first start on';
  return typeof instance === 'string' ? 'not known before the database opens' : instance.dates;
}

async function checkRefreshing(_config: Config, findOnce: () => Promise<Instance>): Promise<string> {
  const instance = await findOnce();
  if (instance === 'none yet') return 'nothing is refreshed before the first start';
  return typeof instance === 'string' ? 'not known before the database opens' : instance.refreshing;
}

async function checkBudget(_config: Config, findOnce: () => Promise<Instance>): Promise<string> {
  const instance = await findOnce();
  if (instance === 'none yet') return 'nothing moves before the first start';
  return typeof instance === 'string' ? 'not known before the database opens' : instance.budget;
}

async function checkReminders({ sendsReminders, mail }: Config): Promise<string> {
  if (!sendsReminders)
    return 'WARNING: none are planned or sent, for production has no mail server: set SMTP_URL, else the dates come and nobody was told';
  return mail.smtpUrl === undefined
    ? `without SMTP_URL they become files in ${mail.directory}`
    : 'sent by SMTP_URL';
}

function checkKeysFile(config: Config): string {
  const { keysFile } = config;
  if (!existsSync(keysFile)) {
    const isInUse = config.database.kind === 'sqlite' && !isMissing(config.database);
    if (config.production || isInUse) throw new Error(`${keysFile} is missing`);
    return `${keysFile} will be made at the first start, if the database is new`;
  }
  if ((statSync(keysFile).mode & 0o077) !== 0)
    throw new Error(`${keysFile} can be read by others, use mode 0600`);
  loadKeys(keysFile);
  return `${keysFile} is there and readable by its owner alone`;
}

async function checkDatabase(config: Config): Promise<string> {
  const { database } = config;
  const place = describeLocation(database);
  const lost = findLostDatabase(epochFileOf(config), database);
  if (lost !== undefined) throw new Error(lost);
  if (isMissing(database)) return `${place} will be made at the first start`;
  return withWorkshop(async ({ context }) => {
    const problem = await context.store.findProblem();
    if (problem !== undefined) throw new Error(problem);
    return `${place} opens with these keys and is whole`;
  });
}

function has(endpoint: string | undefined, word: string): string {
  return endpoint === undefined ? `no ${word}` : word;
}

/** The whole chain of reasons, for the outer one alone says too little to act on. */
function reasonsOf(error: unknown): string {
  const { message, cause } = reduceError(error);
  return cause ? `${message}: ${cause.message}` : message;
}

/** A copy sends nothing, and what does not open may be one. */
function refusalToAsk(instance: Instance): string | undefined {
  if (instance === 'none yet') return undefined;
  if (instance === 'unknown') return 'not asked: whether this is a restored copy is not known';
  return instance.why === undefined ? undefined : 'not asked: a restored copy sends nothing';
}

async function checkModernSide(config: Config, findOnce: () => Promise<Instance>): Promise<string> {
  const refusal = refusalToAsk(await findOnce());
  if (refusal !== undefined) return refusal;
  const { authUrl, clientId, clientSecret } = upstreamFor(config);
  const server = createAuthorizationServer({
    authUrl,
    client: { clientId, clientSecret },
    clock: machineClock,
  });
  const metadata = await server.metadata().catch((error: unknown) => {
    const hint = config.upstream ? '' : ' (the embedded one runs only while the bridge does)';
    throw new Error(`${authUrl}: ${reasonsOf(error)}${hint}`);
  });
  return `${authUrl} answers (${has(metadata.revocationEndpoint, 'revocation')}, ${has(metadata.introspectionEndpoint, 'introspection')})`;
}

async function checkOldBackend(
  { oldBackendUrl }: Config,
  findOnce: () => Promise<Instance>,
): Promise<string> {
  if (oldBackendUrl === undefined) return 'LEGACY_BACKEND_URL names none, nothing is passed through';
  const refusal = refusalToAsk(await findOnce());
  if (refusal !== undefined) return refusal;
  const call = { method: 'GET', target: '/1/user.json', rawHeaders: [], body: Buffer.alloc(0) };
  const { status } = await createOldBackend(oldBackendUrl)
    .pass(call)
    .catch((error: unknown) => {
      throw new Error(`${oldBackendUrl}: ${reasonsOf(error)}`);
    });
  return `${oldBackendUrl} answers (${status} to a call without a token)`;
}

const CHECKS: ReadonlyArray<readonly [name: string, check: Check]> = [
  ['keys', async (config) => checkKeysFile(config)],
  ['database', checkDatabase],
  ['instance', checkInstance],
  ['refreshing', checkRefreshing],
  ['dates', checkDates],
  ['budget', checkBudget],
  ['reminders', checkReminders],
  ['modern side', checkModernSide],
  ['old backend', checkOldBackend],
];

async function examine(check: string, run: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await run() };
  } catch (error) {
    return { check, ok: false, detail: reduceError(error).message };
  }
}

/** `doctor`: every check in turn, each with what it found; fails when one of them does. */
export async function doctor(): Promise<Result> {
  const config = readConfig();
  const findings: Finding[] = [{ check: 'settings', ok: true, detail: 'usable' }];
  let instance: Promise<Instance> | undefined;
  const findOnce = () => (instance ??= findInstance(config));
  for (const [check, run] of CHECKS) findings.push(await examine(check, () => run(config, findOnce)));
  const lines = findings.map(({ check, ok, detail }) => `${ok ? 'ok    ' : 'FAILED'}  ${check}: ${detail}`);
  return { ok: findings.every(({ ok }) => ok), lines, json: { findings } };
}
