import { releaseUnspent } from '../../src/domain/grants/refresh/unspent.ts';
import { resolveDoubts } from '../../src/domain/grants/resolve-doubts.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { expireGrantsOf } from '../support/bridge/expire-grants.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { serverOf } from '../faults/storage/support/server-of.ts';
import { breakStatements } from '../faults/storage/support/statement-faults.ts';
import { scrape, sumOf } from '../metrics/support/scrape.ts';

/** The log names the tokens, the app and the request of a grant in doubt, and of each answer that was not new. */

const log = logLines();
const clock = new SettableClock();
let system: System;
let token: string;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0' };
  clock.run();
  system = await startSystem({ clock, env, log: { level: 'info', stream: log.stream } });
  token = await issueToken(system);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
});

afterAll(() => system.stop());

const linesWith = (message: string) =>
  log
    .lines()
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['message'] === message);

async function mappingOf(): Promise<{ id: string; grant_id: string | null; client_id: string }> {
  const { durable } = system.bridge.context.store;
  const ofApp = durable.selectFrom('mappings').where('client_id', '=', system.app.clientId);
  return ofApp.select(['id', 'grant_id', 'client_id']).executeTakeFirstOrThrow();
}

test('a doubt names its tokens and what came; the answer that was not new names its request, and is counted', async () => {
  await expireGrantsOf(system.bridge.context);
  system.proxy.onTokenAnswer = () => ({
    status: 502,
    headers: {},
    body: Buffer.from('<h1>Bad Gateway</h1>'),
  });
  const { status, headers } = await read(system, '/1/profiles.json', token);
  expect([status, headers['age'] === undefined]).toEqual([200, false]);
  await system.bridge.untilLogged();
  const { id, grant_id: grantId, client_id: clientId } = await mappingOf();
  const requestId = headers['x-request-id'];
  expect(linesWith('refresh in doubt')).toEqual([
    expect.objectContaining({
      level: 'warn',
      grantId,
      clientId,
      mappings: [id],
      requestId,
      reason: 'no usable answer came',
      detail: 'the authorization server answered 502 without a usable token answer',
    }),
  ]);
  expect(linesWith('served the last known answer')).toEqual([
    expect.objectContaining({
      level: 'warn',
      grantId,
      requestId,
      detail: 'the grant cannot be refreshed yet',
    }),
  ]);
  expect(sumOf(await scrape(system.bridgeUrl), 'grantbridge_last_known_answers_total')).toBe(1);
});

/** The quiet time of a doubt, and a second more. */
const QUIET_SECONDS = 301;

async function waitAndSettle(): Promise<void> {
  clock.advance(QUIET_SECONDS * 1000);
  clock.run();
  await resolveDoubts(system.bridge.context);
}

/** The process that presented proves that nothing was spent, after another one has put its claim in doubt. */
async function releaseDoubted(): Promise<void> {
  const { context } = system.bridge;
  const doubted = context.store.durable.selectFrom('grants').selectAll().where('state', '=', 'in_doubt');
  const grant = await doubted.executeTakeFirstOrThrow();
  await releaseUnspent(context, { grant, from: 'ready', claimId: grant.claim_id ?? '' });
}

const cut = {
  onTokenCall: () => {
    throw new Error('cut');
  },
};
const lost = { onTokenAnswer: () => ({ status: 502, headers: {}, body: Buffer.from('') }) };

/** A new grant that is in doubt by this fault; the line that told so. */
async function doubtOf(fault: object): Promise<Record<string, unknown>> {
  const noFault = { onTokenCall: undefined, onTokenAnswer: undefined };
  Object.assign(system.proxy, noFault);
  token = await issueToken(system);
  await expireGrantsOf(system.bridge.context);
  Object.assign(system.proxy, fault);
  await read(system, '/1/profiles.json', token);
  Object.assign(system.proxy, noFault);
  await system.bridge.untilLogged();
  return linesWith('refresh in doubt').at(-1) ?? {};
}

test.each<[end: string, fault: object, settle: () => Promise<unknown>, seconds: number]>([
  ['renewed', cut, waitAndSettle, QUIET_SECONDS],
  ['refused', lost, waitAndSettle, QUIET_SECONDS],
  ['ended', cut, () => read(system, '/1/user/deauthorize.json', token), 0],
  ['replaced', cut, () => issueToken(system), 0],
])('the line of a settled doubt says how it ended and how long it lasted: %s', async (...row) => {
  const [end, fault, settle, seconds] = row;
  const { grantId, clientId } = await doubtOf(fault);
  await settle();
  await system.bridge.untilLogged();
  const settled = linesWith('a doubt was settled').filter((line) => line['grantId'] === grantId);
  expect(settled).toEqual([expect.objectContaining({ level: 'info', clientId, end })]);
  expect(Math.abs(Number(settled[0]?.['seconds']) - seconds)).toBeLessThan(30);
});

/** Where the commit of this update stands among the statements of a settled doubt. */
function commitAfter(statements: readonly string[], update: RegExp): number {
  const stored = statements.findIndex((text) => update.test(text));
  return statements.findIndex((text, at) => at > stored && text === 'commit') + 1;
}

const NEW_PAIR = /^update "?grants"? set .*refresh_token_sealed/;
const NOTHING_SPENT = /^update "?grants"? set "?state"? = \S+, "?doubt_since"? =/;
const END = /^update "?grants"? set "?state"? = \S+, "?dead_cause"? =/;

test.each<[end: string, fault: object, settle: () => Promise<unknown>, update: RegExp]>([
  ['renewed', cut, waitAndSettle, NEW_PAIR],
  ['refused', lost, waitAndSettle, END],
  ['replaced', cut, () => issueToken(system), END],
  ['unspent', cut, releaseDoubted, NOTHING_SPENT],
])('a doubt is settled in the log where the answer to the commit of its end was lost: %s', async (...row) => {
  const [end, fault, settle, update] = row;
  const faults = breakStatements(system.bridge.database, serverOf(system.bridge.url));
  await doubtOf(fault);
  const { statements } = await faults.run(settle);
  const at = commitAfter(statements, update);
  const { grantId } = await doubtOf(fault);
  const deaths = async () => sumOf(await scrape(system.bridgeUrl), 'grantbridge_grants_ended_total');
  const before = await deaths();
  const { hit } = await faults.run(settle, { at, moment: 'after' });
  faults.remove();
  expect(hit).toBe('commit');
  await system.bridge.untilLogged();
  const settled = linesWith('a doubt was settled').filter((line) => line['grantId'] === grantId);
  expect(settled).toEqual([expect.objectContaining({ end })]);
  const died = linesWith('grant died').filter((line) => line['grantId'] === grantId);
  expect([died.length, (await deaths()) - before]).toEqual(end === 'refused' ? [1, 1] : [0, 0]);
});
