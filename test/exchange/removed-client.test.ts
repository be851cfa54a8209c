import { requireTaker } from '../../src/domain/handover/authenticate-modern-client.ts';
import { removeModernClient } from '../../src/domain/handover/enter-modern-client.ts';
import { browserOf, DANA, historyOf, pressIn, wordsOf } from '../owners/support/people.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import type { RawAnswer } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import type { System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import {
  confirm,
  exchange,
  fieldOf,
  OWN_CLIENT,
  PUBLIC_CLIENT,
  refreshAsApp,
  startSystemWithOwnClient,
  useOwnClient,
} from './support/own-client.ts';

/** A client that its app does not use any more gets no pairs, unless the owner says that hand-overs go on. */

let system: System;
let owner: CookieWalker;
const clock = new SettableClock();

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  clock.run();
  system = await startSystemWithOwnClient({ clock, env });
  await system.bridge.context.store.durable
    .updateTable('apps')
    .set({ owner_account_id: DANA.accountId })
    .where('client_id', '=', system.app.clientId)
    .execute();
  owner = await browserOf(system);
});

/** Wrong secrets of before count for a minute. */
function forgetGuesses(): void {
  clock.advance(61_000);
  clock.run();
}

beforeEach(async () => {
  forgetGuesses();
  await useOwnClient(system, OWN_CLIENT);
});

afterAll(() => system.stop());

const clientPage = () => owner.get(`${system.bridgeUrl}/apps/${system.app.clientId}/modern-client`);

async function press(button: RegExp, fields: Record<string, string> = {}): Promise<string> {
  return wordsOf(await owner.follow(await pressIn(owner, await clientPage(), button, fields)));
}

const TICKED = { keep_handovers: 'on' };

/** What a client with a wrong secret gets, and one that nobody entered. */
async function refusals(token: string): Promise<RawAnswer[]> {
  return [
    await exchange(system.bridgeUrl, token, { client_secret: 'wrong-secret' }),
    await exchange(system.bridgeUrl, token, { client_id: 'nobody' }),
  ];
}

const told = ({ status, json, headers }: RawAnswer) => [status, json, headers['www-authenticate']];

const lastEvents = async (count: number) => (await historyOf(system, system.app.clientId)).slice(-count);

test('a removed client is refused as an unknown one is, and people stay connected by it', async () => {
  const token = await issueToken(system);
  expect(await press(/^Stop using it$/)).toContain('The client is not used for new connections any more.');
  const refused = await exchange(system.bridgeUrl, token);
  for (const other of await refusals(token)) expect(told(refused)).toEqual(told(other));
  expect([refused.status, fieldOf(refused, 'error')]).toEqual([400, 'invalid_client']);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  expect(await lastEvents(1)).toEqual([`modern_client_removed: client ${OWN_CLIENT.clientId}`]);
  await useOwnClient(system, OWN_CLIENT);
  expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
});

test('hand-overs go on where the owner ticks it, and end when the owner says so', async () => {
  const one = await issueToken(system);
  await press(/^Stop using it$/, TICKED);
  expect(wordsOf(await clientPage())).toContain('Hand-overs go on');
  const named = `can still be handed over to ${OWN_CLIENT.clientId}, which was used before.`;
  for (const page of ['', '/move'])
    expect(wordsOf(await owner.get(`${system.bridgeUrl}/apps/${system.app.clientId}${page}`))).toContain(
      named,
    );
  expect((await exchange(system.bridgeUrl, one)).status).toBe(200);
  expect((await confirm(system.bridgeUrl, one)).status).toBe(200);
  await useOwnClient(system, OWN_CLIENT);
  const later = await issueToken(system);
  await press(/^Stop using it$/, TICKED);
  expect(await press(/^End hand-overs/)).toContain('Hand-overs have ended');
  expect((await exchange(system.bridgeUrl, later)).status).toBe(400);
  expect(await press(/^Let hand-overs go on/, TICKED)).toContain('Hand-overs go on');
  expect((await exchange(system.bridgeUrl, later)).status).toBe(200);
  const client = `client ${OWN_CLIENT.clientId}`;
  const events = (await historyOf(system, system.app.clientId)).filter((line) =>
    line.startsWith('modern_client'),
  );
  expect(events.slice(-3)).toEqual([
    `modern_client_removed: ${client}, hand-overs go on`,
    `modern_client_handovers_ended: ${client}`,
    `modern_client_handovers_kept: ${client}`,
  ]);
});

test('a pair that was given before the removal can be confirmed after it, and is not given again', async () => {
  const token = await issueToken(system);
  const given = await exchange(system.bridgeUrl, token);
  expect(given.status).toBe(200);
  await press(/^Stop using it$/);
  expect((await exchange(system.bridgeUrl, token)).status).toBe(400);
  expect((await confirm(system.bridgeUrl, token)).json).toEqual({ confirmed: true, migrated_tokens: 1 });
  expect((await refreshAsApp(system, String(fieldOf(given, 'refresh_token')), OWN_CLIENT)).status).toBe(200);
});

testInProcess('a removal between the authentication and the move of the pair wins', async () => {
  const token = await issueToken(system);
  const { context } = system.bridge;
  const transaction = context.store.transaction.bind(context.store);
  context.store.transaction = async (work) => {
    context.store.transaction = transaction;
    const by = {
      clientId: system.app.clientId,
      modernClientId: OWN_CLIENT.clientId,
      actor: 'test',
      requestId: null,
      keepsHandovers: false,
    };
    await removeModernClient(context, by);
    return transaction(work);
  };
  const answer = await exchange(system.bridgeUrl, token);
  expect([answer.status, fieldOf(answer, 'error')]).toEqual([400, 'invalid_client']);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
});

test('a client that another one took the place of is as one that was removed; a public one too', async () => {
  const token = await issueToken(system);
  await useOwnClient(system, PUBLIC_CLIENT);
  expect((await exchange(system.bridgeUrl, token)).status).toBe(400);
  await useOwnClient(system, OWN_CLIENT);
  const asPublic = { client_id: PUBLIC_CLIENT.clientId, client_secret: system.app.clientSecret };
  const refused = await exchange(system.bridgeUrl, token, asPublic);
  expect([refused.status, fieldOf(refused, 'error')]).toEqual([400, 'invalid_client']);
  const { durable } = system.bridge.context.store;
  const own = { id: OWN_CLIENT.clientId, client_id: system.app.clientId };
  await expect(requireTaker(durable, own)).resolves.toBeUndefined();
});

test('a retired secret is refused, also for a confirmation, while connections go on; it is not taken again', async () => {
  const token = await issueToken(system);
  expect(await press(/^Retire its secret/)).toContain('Its secret was retired');
  const refused = await exchange(system.bridgeUrl, token);
  const [wrong] = await refusals(token);
  expect(wrong && told(refused)).toEqual(wrong && told(wrong));
  expect((await confirm(system.bridgeUrl, token)).status).toBe(400);
  await expireAccess();
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  expect(await lastEvents(1)).toEqual([`modern_client_secret_retired: client ${OWN_CLIENT.clientId}`]);

  const entries = { modern_client_id: OWN_CLIENT.clientId, client_secret: OWN_CLIENT.clientSecret };
  const again = await press(/^Test and use this client$/, entries);
  expect(again).toContain('This secret was retired here.');
  forgetGuesses();
  expect((await exchange(system.bridgeUrl, token)).status).toBe(400);

  const changed = 'own-client-secret-after-the-leak';
  await useOwnClient(system, { clientId: OWN_CLIENT.clientId, clientSecret: changed });
  forgetGuesses();
  expect((await exchange(system.bridgeUrl, token)).status).toBe(400);
  expect((await exchange(system.bridgeUrl, token, { client_secret: changed })).status).toBe(200);
});

test('hand-overs that are allowed wait while the secret is retired, and the pages say so', async () => {
  const token = await issueToken(system);
  await press(/^Stop using it$/, TICKED);
  const words = await press(/^Retire its secret/);
  expect(words).toContain('Hand-overs are allowed, but wait: its secret was retired.');
  expect(words).not.toContain('Hand-overs go on');
  expect((await exchange(system.bridgeUrl, token)).status).toBe(400);
  const move = wordsOf(await owner.get(`${system.bridgeUrl}/apps/${system.app.clientId}/move`));
  expect(move).toContain('such connections cannot be handed over');
  expect(move).not.toContain('can still be handed over');
});

/** The next read has to refresh, with the secret that the exchange refuses. */
async function expireAccess(): Promise<void> {
  const { store } = system.bridge.context;
  await store.durable.updateTable('grants').set({ access_expires_at: 0, refresh_at: 0 }).execute();
  await store.volatile.deleteFrom('answers').execute();
}
