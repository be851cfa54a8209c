import { rehearsalId } from '../../src/domain/lifecycle/lifecycle.ts';
import { inspectPasted } from '../../src/domain/old-api/prove-observed.ts';
import { usageOf } from '../../src/domain/usage/usage.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { MINUTE } from '../../src/shared/lifetimes.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { type RawAnswer, type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { actionsOf, addWaitingToken, mappingOf } from '../support/bridge/waiting-token.ts';
import { plan } from './support/lifecycle-rows.ts';

/** The old API ends for an app at its retirement, and is missed in the brownouts before (docs/decisions/0012). */

const clock = new SettableClock();
const START = clock.now();
const RETIREMENT = START + 10 * MINUTE;
const TEXT = 'The old API is switched off to show what its retirement will break.';
const INVALID = 'The provided access token is invalid';
const UNKNOWN_PATH = 'The endpoint you requested was not found.';
const OTHER_PATH = '/1/info/configuration.json';

const accounts: OldAccount[] = [];

/** An account of the old API with no tokens yet. */
function lonely(): OldAccount {
  const added = { tokens: [], user: { id: newHexId() }, profiles: [] };
  accounts.push(added);
  return added;
}

const account = lonely();
const browser = new CookieWalker();
let old: OldBackend;
let system: System;

/** Tokens of one app: one that waits, and one that a grant serves and that is older than the bridge. */
interface Tokens {
  clientId: string;
  waiting: string;
  mapped: string;
}
let one: Tokens;
let other: Tokens;

/** Whoever ends one token of an account at the old API ends them all there. */
async function addTokens(name: string, owner = account): Promise<Tokens> {
  const app = await system.registerApp(`https://${name}.example/callback`);
  const mapped = await issueToken(system, { app, browser });
  const { durable } = system.bridge.context.store;
  const digests = system.bridge.context.vault.digests(mapped);
  await durable
    .updateTable('mappings')
    .set({ source: 'imported' })
    .where('token_digest', 'in', digests)
    .execute();
  const { token: waiting } = await addWaitingToken(system.bridge, { clientId: app.clientId });
  owner.tokens.push(waiting, mapped);
  return { clientId: app.clientId, waiting, mapped };
}

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  const env = { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0', PROFILES_FRESH_SECONDS: '0' };
  system = await startSystem({ clock, env });
  one = await addTokens('one');
  other = await addTokens('other');
});

beforeEach(() => {
  clock.set(START);
  old.requests.length = 0;
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

function call(token: string, path = '/1/user.json', wanted: Partial<RawRequest> = {}): Promise<RawAnswer> {
  return sendRaw(system.bridgeUrl, { ...wanted, path, headers: { authorization: `Bearer ${token}` } });
}

/** Of a waiting token here and at another path, a served one here and there, and a token that nobody has seen. */
async function answersOf({ waiting, mapped, clientId }: Tokens): Promise<RawAnswer[]> {
  const unseen = newLegacyToken();
  account.tokens.push(unseen);
  const named = await call(unseen, `/1/user.json?client_id=${clientId}`);
  if (named.status === 200) await until(async () => (await mappingOf(system.bridge, unseen)) !== undefined);
  return [
    await call(waiting),
    await call(waiting, OTHER_PATH),
    await call(mapped),
    await call(mapped, OTHER_PATH),
    named,
  ];
}

const statusesOf = async (tokens: Tokens) => (await answersOf(tokens)).map(({ status }) => status);

const GOES_ON = [200, 200, 200, 200, 200];
/** The calls of connected tokens go on: the new API answers them. */
const ENDED = [401, 401, 200, 200, 401];
/** For a token that nobody has seen the dates of all count, whatever app is named. */
const KNOWN_GO_ON = [200, 200, 200, 200, 401];

const reasonOf = ({ json }: RawAnswer) => (json as { reauthorize: { reason: string } }).reauthorize.reason;

test('the last millisecond before the retirement is passed on, the next one is not', async () => {
  await plan(system.bridge, { dates: { retirement: RETIREMENT } });
  clock.set(RETIREMENT - 1);
  expect(await statusesOf(one)).toEqual(GOES_ON);
  old.requests.length = 0;
  clock.set(RETIREMENT);
  const [waiting, path, , servedPath, unseen] = await answersOf(one);
  const link = `${system.bridgeUrl}/apps/${one.clientId}`;
  expect(waiting).toMatchObject({ status: 401, json: { error: INVALID, code: 401, reauthorize: { link } } });
  const day = new Date(RETIREMENT).toISOString().slice(0, 10);
  expect(reasonOf(waiting!)).toBe(
    `The old API was retired on ${day} (UTC), and this token had not been connected to the new API by then. Its owner has to authorize the app again.`,
  );
  expect([path!.status, path!.json]).toEqual([401, waiting!.json]);
  expect(servedPath!.json).toMatchObject({ services: { twitter: { types: expect.any(Object) } } });
  expect(await call(one.mapped, '/1/nothing.json')).toMatchObject({
    status: 404,
    json: { error: UNKNOWN_PATH, code: 404 },
  });
  expect([unseen!.status, unseen!.json]).toEqual([401, { error: INVALID, code: 401 }]);
  await system.bridge.untilShared();
  expect(old.requests).toEqual([]);
});

test('after the retirement the old API is told of no end, and none is missed', async () => {
  await plan(system.bridge, { dates: { retirement: RETIREMENT } });
  const { mapped } = await addTokens('ends', lonely());
  clock.set(RETIREMENT);
  old.requests.length = 0;
  const { id } = (await mappingOf(system.bridge, mapped))!;
  expect((await call(mapped, '/1/user/deauthorize.json')).status).toBe(200);
  await until(async () => (await actionsOf(system.bridge, id)).includes('token_revoked'));
  expect(await actionsOf(system.bridge, id)).not.toContain('old_backend_not_told');
  expect(old.requests).toEqual([]);
});

test('an app with more time keeps the old API until its own date, and its name alone gives nobody else more', async () => {
  const end = RETIREMENT + 5 * MINUTE;
  const extensions = [{ clientId: one.clientId, name: 'retirement', until: end } as const];
  await plan(system.bridge, { dates: { retirement: RETIREMENT }, extensions });
  clock.set(RETIREMENT);
  expect([await statusesOf(one), await statusesOf(other)]).toEqual([KNOWN_GO_ON, ENDED]);
  clock.set(end - 1);
  expect(await statusesOf(one)).toEqual(KNOWN_GO_ON);
  clock.set(end);
  expect(await statusesOf(one)).toEqual(ENDED);
});

test('in a brownout the answers are those of the retirement, with a text of their own; but connected tokens stay with the old API', async () => {
  const [startsAt, endsAt] = [START + MINUTE, START + 2 * MINUTE];
  await plan(system.bridge, { brownouts: [{ rehearses: 'retirement', startsAt, endsAt, text: TEXT }] });
  clock.set(startsAt - 1);
  expect(await statusesOf(one)).toEqual(GOES_ON);
  clock.set(startsAt);
  const answers = await answersOf(one);
  expect(answers.map(({ status }) => status)).toEqual(ENDED);
  const end = new Date(endsAt).toISOString().replace('.000Z', 'Z');
  const error = `${TEXT} This is a planned brownout. It is over at ${end}. Read more at ${system.bridgeUrl}/lifecycle`;
  const reauthorize = {
    reason: 'This token has not been connected to the new API yet.',
    link: `${system.bridgeUrl}/apps/${one.clientId}`,
  };
  expect(answers.map(({ json }) => json)).toEqual([
    { error, code: 401, reauthorize },
    { error, code: 401, reauthorize },
    expect.objectContaining({ id: expect.any(String) }),
    { services: {}, media: {} },
    { error, code: 401 },
  ]);
  for (const { headers } of answers) expect(headers['retry-after']).toBeUndefined();
  clock.set(endsAt - 1);
  expect(await statusesOf(one)).toEqual(ENDED);
  clock.set(endsAt);
  expect(await statusesOf(one)).toEqual(GOES_ON);
});

test('a token that nobody was asked about is not remembered as refused', async () => {
  const endsAt = START + 2000;
  await plan(system.bridge, { brownouts: [{ rehearses: 'retirement', startsAt: START, endsAt }] });
  const unseen = newLegacyToken();
  account.tokens.push(unseen);
  expect((await call(unseen)).status).toBe(401);
  await system.bridge.untilShared();
  clock.set(endsAt);
  expect((await call(unseen)).status).toBe(200);
});

test('what would last is done in a brownout too: an end is told, and old ids are learned', async () => {
  const { mapped } = await addTokens('brownout', lonely());
  await plan(system.bridge, {
    brownouts: [{ rehearses: 'retirement', startsAt: START, endsAt: RETIREMENT }],
  });
  old.requests.length = 0;
  expect((await call(mapped)).status).toBe(200);
  expect(old.seen('GET', '/1/user.json')).toHaveLength(1);
  expect((await call(mapped, '/1/user/deauthorize.json')).status).toBe(200);
  await until(() => old.seen('POST', '/1/user/deauthorize.json').length === 1);
});

test('whose a pasted token is can be shown in a brownout, and no more after the retirement', async () => {
  await plan(system.bridge, {
    dates: { retirement: RETIREMENT },
    brownouts: [{ rehearses: 'retirement', startsAt: START + 1, endsAt: RETIREMENT }],
  });
  const token = newLegacyToken();
  lonely().tokens.push(token);
  expect((await call(token)).status).toBe(200);
  await until(async () => (await mappingOf(system.bridge, token)) !== undefined);
  const paste = async (at: number) => {
    clock.set(at);
    return (await inspectPasted(system.bridge.context, { token, accountId: newHexId() })).found;
  };
  expect(await paste(START + 1)).toBe('can be proven');
  expect(await paste(RETIREMENT)).toBe('no old backend');
});

test('an exempt app does not meet the brownout of all', async () => {
  await plan(system.bridge, {
    brownouts: [{ rehearses: 'retirement', startsAt: START, endsAt: RETIREMENT }],
    exemptions: [{ clientId: one.clientId, until: START + MINUTE }],
  });
  expect([await statusesOf(one), await statusesOf(other)]).toEqual([KNOWN_GO_ON, ENDED]);
  clock.set(START + MINUTE);
  expect(await statusesOf(one)).toEqual(ENDED);
});

// Usage lies in the memory of the process that answered until it is written.
testInProcess('a rehearsal touches the own app alone, and its failing calls are measured', async () => {
  const own = { id: 'own', clientId: one.clientId, rehearses: 'retirement' } as const;
  await plan(system.bridge, { brownouts: [{ ...own, startsAt: START, endsAt: START + MINUTE }] });
  expect([await statusesOf(one), await statusesOf(other)]).toEqual([[401, 401, 200, 200, 200], GOES_ON]);
  const { context } = system.bridge;
  const rows = async () => {
    await context.usage.flush();
    const query = context.store.volatile.selectFrom('usage').select(['endpoint', 'outcome', 'calls']);
    return query
      .where('mapping_id', '=', rehearsalId('own'))
      .orderBy('endpoint')
      .orderBy('outcome')
      .execute();
  };
  await until(async () => (await rows()).length === 2);
  // The served token goes on everywhere, and is measured as ever.
  expect(await rows()).toEqual([
    { endpoint: OTHER_PATH, outcome: 'refused', calls: 1 },
    { endpoint: '/1/user.json', outcome: 'refused', calls: 1 },
  ]);
  const usage = await usageOf(context, [rehearsalId('own')], { days: 1 });
  expect(usage.get(rehearsalId('own'))).toMatchObject({ calls: 2, carriers: ['header'] });
  clock.set(START + MINUTE);
  expect(await statusesOf(one)).toEqual(GOES_ON);
});
