import { endGrant } from '../../src/domain/grants/end-grant.ts';
import { PRESENTING_LIMIT } from '../../src/shared/lifetimes.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Two tokens stand on one grant. The grant stops, and the program of one token deauthorizes while both are refused. */

const clock = new SettableClock();
let system: System;
let app: LegacyApp;

beforeAll(async () => {
  system = await startSystem({ clock });
});
afterAll(() => system.stop());

const durable = () => system.bridge.context.store.durable;
const profiles = (token: string) => read(system, '/1/profiles.json', token);
const deauthorize = (token: string) =>
  sendRaw(system.bridgeUrl, { method: 'POST', path: `/1/user/deauthorize.json?access_token=${token}` });
const grant = () =>
  durable()
    .selectFrom('grants')
    .selectAll()
    .where('client_id', '=', app.clientId)
    .where('state', '<>', 'dead')
    .executeTakeFirstOrThrow();
/** Of the tokens that were issued; the one that came with the app waits for its owner. */
const states = async () => {
  const rows = durable().selectFrom('mappings').select('state').where('client_id', '=', app.clientId);
  const found = await rows.where('state', '<>', 'unmapped').execute();
  return found.map(({ state }) => state).toSorted();
};
const endsInHistory = () =>
  durable()
    .selectFrom('events')
    .select(['action', 'reason'])
    .where('client_id', '=', app.clientId)
    .where('action', '=', 'token_revoked')
    .execute();

beforeEach(async () => {
  app = await system.registerApp('https://old-app.example/callback');
});

/** One of two tokens, after the grant of both has stopped for this cause. */
async function stoppedToken(cause: 'lost' | 'refused'): Promise<{ token: string; neighbour: string }> {
  const [token, neighbour] = [await issueToken(system, { app }), await issueToken(system, { app })];
  const current = await grant();
  const claim = {
    state: 'in_doubt',
    claim_id: 'claim',
    presented_at: clock.now() - PRESENTING_LIMIT,
  } as const;
  if (cause === 'lost')
    await durable().updateTable('grants').set(claim).where('id', '=', current.id).execute();
  await endGrant(system.bridge.context, await grant(), cause);
  expect(await states()).toEqual(['reauthorization_required', 'reauthorization_required']);
  return { token, neighbour };
}

test('the call is refused as before, its token ends alone, and the history says so', async () => {
  const { token, neighbour } = await stoppedToken('lost');
  const before = await profiles(token);
  const answer = await deauthorize(token);
  expect([answer.status, answer.text]).toEqual([401, before.text]);
  expect(await states()).toEqual(['reauthorization_required', 'revoked']);
  expect(await endsInHistory()).toEqual([
    { action: 'token_revoked', reason: 'a call with the token asked for it' },
  ]);
  // A second wish is refused like the first, and changes nothing.
  expect((await deauthorize(token)).status).toBe(401);
  expect(await endsInHistory()).toHaveLength(1);
  await issueToken(system, { app });
  expect((await profiles(neighbour)).status).toBe(200);
  expect((await profiles(token)).status).toBe(401);
});

test('a token whose connection the new API ended stays as it is', async () => {
  const { token } = await stoppedToken('refused');
  expect((await deauthorize(token)).status).toBe(401);
  expect(await states()).toEqual(['reauthorization_required', 'reauthorization_required']);
  expect(await endsInHistory()).toEqual([]);
});
