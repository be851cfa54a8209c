import {
  type Answerer,
  type CallKind,
  type OldApiPhase,
  type TokenOfCall,
  whoAnswers,
} from '../../../src/domain/old-calls/who-answers.ts';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { MINUTE } from '../../../src/shared/lifetimes.ts';
import { plan } from '../../lifecycle/support/lifecycle-rows.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { type RawAnswer, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { addWaitingToken, mappingOf } from '../../support/bridge/waiting-token.ts';

/**
 * The table of who answers, row by row over HTTP: with an old API that runs, in its brownout, after it, without one; and the
 * same where the app is cut over.
 */

const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
const browser = new CookieWalker();
let old: OldBackend;
let withOld: System;
let alone: System;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  withOld = await startSystem({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  alone = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' } });
});

afterAll(async () => {
  await withOld.stop();
  await alone.stop();
  await old.close();
});

type Standing = Partial<{ source: 'imported'; state: 'revoked'; refused_there_at: number }>;

/** A token that a grant serves, as its row then says. */
async function servedToken(system: System, changes: Standing): Promise<string> {
  const token = await issueToken(system, { browser });
  const { durable } = system.bridge.context.store;
  const { id } = (await mappingOf(system.bridge, token))!;
  if (Object.keys(changes).length > 0)
    await durable.updateTable('mappings').set(changes).where('id', '=', id).execute();
  return token;
}

const MAKE: Record<TokenOfCall, (system: System) => Promise<string> | undefined> = {
  none: () => undefined,
  unknown: async () => newLegacyToken(),
  unconnected: async ({ bridge, app }) => (await addWaitingToken(bridge, { clientId: app.clientId })).token,
  connected: (system) => servedToken(system, { source: 'imported' }),
  left: (system) => servedToken(system, { source: 'imported', refused_there_at: 1 }),
  issued: (system) => servedToken(system, {}),
  ended: (system) => servedToken(system, { source: 'imported', state: 'revoked' }),
};

/** A token whose use the bridge does not remember from the row before; the old API knows every one. */
async function tokenFor(standing: TokenOfCall, system: System): Promise<string | undefined> {
  const token = await MAKE[standing](system);
  if (token !== undefined) account.tokens.push(token);
  return token;
}

/** Of a channel that has one post or none, which a shuffle leaves as it is. */
const QUEUE = '/1/profiles/5e1f0c9a7b3d4e2f8a6c3d0d/updates';

const CALLS: ReadonlyArray<[CallKind, Pick<RawRequest, 'method' | 'path'>]> = [
  ['account', { path: '/1/profiles.json' }],
  ['account', { method: 'POST', path: '/1/user.json' }],
  ['queue', { path: '/1/info/configuration.json' }],
  ['queue', { method: 'POST', path: `${QUEUE}/reorder.json` }],
  ['queue', { method: 'POST', path: `${QUEUE}/shuffle.json` }],
  ['head', { method: 'HEAD', path: '/1/profiles.json' }],
  ['head', { method: 'HEAD', path: '/1/info/configuration.json' }],
  ['otherwise', { method: 'PUT', path: '/1/profiles.json' }],
  ['otherwise', { path: '/1/user.xml' }],
  ['unserved', { path: '/1/nothing.json' }],
  ['unserved', { method: 'DELETE', path: '/1/info/configuration.json' }],
];

const ENDS: typeof CALLS = [['deauthorize', { method: 'POST', path: '/1/user/deauthorize.json' }]];

const HEADER = 'x-row';

/** By the header that each call has: the bridge asks the old API for reasons of its own too. */
const wasPassed = (row: string) => old.requests.some(({ headers }) => headers[HEADER] === row);

function answererOf({ status, text, json }: RawAnswer, row: string): Answerer {
  if (wasPassed(row)) return 'old';
  if (status === 401) return text === '' ? 'no token' : 'refused token';
  // A reorder without an order is refused by the call itself.
  if (status === 200 || (status === 400 && text.includes('"success":false'))) return 'new';
  expect([404, 405, 406]).toContain(status);
  if (text !== '') expect(json).toEqual({ error: expect.any(String), code: expect.any(Number) });
  return 'refused call';
}

async function asked(system: System, call: (typeof CALLS)[number][1], token: string | undefined) {
  const row = newHexId();
  const headers = { [HEADER]: row, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  return answererOf(await sendRaw(system.bridgeUrl, { ...call, headers }), row);
}

const TOKENS = Object.keys(MAKE) as TokenOfCall[];

interface Phase {
  oldApi: OldApiPhase;
  isCutOver: boolean;
}

/** Each row, and the same row as the table says it. */
async function rowsOf({ oldApi, isCutOver }: Phase, system: System) {
  const seen: string[] = [];
  const expected: string[] = [];
  const note = async (token: TokenOfCall, [call, wanted]: (typeof CALLS)[number], value?: string) => {
    const row = `${token}: ${wanted.method ?? 'GET'} ${wanted.path}:`;
    seen.push(`${row} ${await asked(system, wanted, value)}`);
    expected.push(`${row} ${whoAnswers({ call, token, oldApi, isCutOver })}`);
  };
  for (const token of TOKENS) {
    let value = await tokenFor(token, system);
    for (const call of CALLS) {
      if (token === 'unknown') value = await tokenFor(token, system);
      await note(token, call, value);
    }
    for (const end of ENDS) await note(token, end, await tokenFor(token, system));
  }
  return { seen, expected };
}

async function cutOver({ bridge }: System, percent: number): Promise<void> {
  await bridge.context.store.durable.updateTable('apps').set({ cut_over_percent: percent }).execute();
}

test.each<Phase>(
  (['runs', 'brownout', 'retired', 'none'] as const).flatMap((oldApi) => [
    { oldApi, isCutOver: false },
    { oldApi, isCutOver: true },
  ]),
)('in the phase $oldApi, cut over: $isCutOver, each row is answered as the table says', async (phase) => {
  const { oldApi, isCutOver } = phase;
  const system = oldApi === 'none' ? alone : withOld;
  const now = system.bridge.context.clock.now();
  const window = { startsAt: now - MINUTE, endsAt: now + 60 * MINUTE };
  if (oldApi === 'brownout')
    await plan(system.bridge, { brownouts: [{ rehearses: 'retirement', ...window }] });
  else await plan(system.bridge, oldApi === 'retired' ? { dates: { retirement: now - MINUTE } } : {});
  await cutOver(system, isCutOver ? 100 : 0);
  const { seen, expected } = await rowsOf(phase, system);
  expect(seen).toEqual(expected);
  expect(seen.length).toBe(TOKENS.length * (CALLS.length + ENDS.length));
});

const endsSeen = () => ['.json', ''].map((suffix) => old.seen('POST', `/1/user/deauthorize${suffix}`).length);

test.each<[TokenOfCall, number, string]>([
  ['unconnected', 404, 'The endpoint you requested was not found.'],
  ['unknown', 404, 'The endpoint you requested was not found.'],
  ['none', 401, 'invalid_request'],
  ['ended', 401, 'The provided access token is invalid'],
  ['connected', 200, 'Access successfully revoked!'],
  ['left', 200, 'Access successfully revoked!'],
  ['issued', 200, 'Access successfully revoked!'],
])(
  'an end with doubled slashes is the known one and never passed on: %s',
  async (standing, status, words) => {
    await plan(withOld.bridge, {});
    for (const path of ['/1/user//deauthorize.json', '/1/user/deauthorize/', '//user/deauthorize']) {
      const token = await tokenFor(standing, withOld);
      const before = endsSeen();
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await sendRaw(withOld.bridgeUrl, { method: 'POST', path, headers });
      expect(answer.status).toBe(status);
      expect(`${answer.text} ${answer.headers['www-authenticate'] ?? ''}`).toContain(words);
      if (status !== 404) continue;
      expect(endsSeen()).toEqual(before);
      if (standing === 'unconnected')
        expect(await mappingOf(withOld.bridge, token!)).toMatchObject({ state: 'unmapped' });
    }
  },
);
