import { DAY } from '../../../src/shared/lifetimes.ts';
import type { MappingState } from '../../../src/store/tables/tables.ts';
import { keepModernClient, useModernClient } from '../../../src/store/apps/modern-clients.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import { setDate } from '../../reminders/support/planning-ground.ts';
import { unidentifiedApp } from '../../staff/support/actions.ts';
import { keepGrant } from '../../staff/support/grants.ts';
import { staffBrowser } from '../../staff/support/staff-browser.ts';
import { type RegisteredApp, registerLegacyApp } from '../../support/bridge/register-app.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { browserOf, DANA, SAM, waitingToken, wordsOf } from '../support/people.ts';

/** What an app's pages say first: its state and what to do, to its owner, to an account holder and to support. */

const clock = new SettableClock(Date.parse('2026-11-22T10:00:00Z'));
let system: System;
let dana: CookieWalker;
let sam: CookieWalker;

beforeAll(async () => {
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  [dana, sam] = [await browserOf(system), await staffBrowser(system, 'agent')];
});
afterAll(() => system.stop());

async function appWith(states: readonly MappingState[]): Promise<RegisteredApp> {
  const app = await registerLegacyApp(system.bridge, 'https://look.example/cb', DANA.accountId);
  // The owner's own token, which comes with the registration.
  const { durable } = system.bridge.context.store;
  await durable.deleteFrom('mappings').where('client_id', '=', app.clientId).execute();
  for (const state of states) await waitingToken(system, { app, accountId: SAM.accountId, state });
  return app;
}

const owners = async (clientId: string) => wordsOf(await dana.get(`${system.bridgeUrl}/apps/${clientId}`));
const supports = async (clientId: string) =>
  wordsOf(await sam.get(`${system.bridgeUrl}/support/apps/${clientId}`));

const STOPPED = 'reauthorization_required';

const STATES: Array<[head: string, support: string, states: MappingState[]]> = [
  ['no token yet', 'The app has no token. Nothing to do until somebody connects it.', []],
  ['stopped', '2 tokens have stopped: their calls are refused. Only a holder can', [STOPPED, STOPPED]],
  ['some stopped', '1 token has stopped: its calls are refused. Only a holder can', ['active', STOPPED]],
  ['some stopped', '1 token has stopped: its calls are refused. Only a holder can', ['unmapped', STOPPED]],
  [
    'waiting',
    '1 token is not connected yet (the old API still answers those that it made). Ask its owner to enter the app’s own client first',
    ['active', 'unmapped'],
  ],
  ['connected', 'No token waits or has stopped. Nothing for you: the next step is for its owner', ['active']],
  ['moved', 'All its tokens have moved or were revoked. Nothing to do.', ['migrated', 'revoked']],
  ['revoked', 'All its tokens have moved or were revoked. Nothing to do.', ['revoked']],
];

test.each(STATES)('an app is %s to its owner, and support reads: %s', async (head, support, states) => {
  const { clientId } = await appWith(states);
  expect(await owners(clientId)).toContain(`State ${head} Next date`);
  expect(await supports(clientId)).toContain(support);
});

test('an app that its owner has just registered is refused until it is connected, and no page says otherwise', async () => {
  const { clientId } = await registerLegacyApp(system.bridge, 'https://new.example/cb', DANA.accountId);
  const home = wordsOf(await dana.get(`${system.bridgeUrl}/apps`));
  expect(home).toContain('is refused now: it is not connected to the new API');
  const refused = '1 token waiting Not connected to the new API. Connect the app, and its calls work';
  expect(await owners(clientId)).toContain(refused);
  expect(await owners(clientId)).not.toContain('The old API answers its calls meanwhile');
});

test('support is led to the tokens that need somebody, and to the owner', async () => {
  const { clientId } = await appWith(['unmapped', STOPPED]);
  const page = await sam.get(`${system.bridgeUrl}/support/apps/${clientId}`);
  expect(page.body).toContain(`href="/support/apps/${clientId}?show=stopped#tokens"`);
  const all = await appWith(['active']);
  const { body } = await sam.get(`${system.bridgeUrl}/support/apps/${all.clientId}`);
  expect(body).toContain(`href="/support/accounts/${DANA.accountId}">See its owner</a>`);
});

test('an owner is told on the page of the app of a hand-over that is not confirmed, since when and until when', async () => {
  const { clientId } = await appWith(['migrated']);
  const { id, accountId } = await keepGrant(system, { client_id: clientId });
  const { durable } = system.bridge.context.store;
  const keep = (confirmed_at: number | null) =>
    durable.updateTable('handovers').set({ confirmed_at }).where('grant_id', '=', id).execute();
  await durable
    .insertInto('handovers')
    .values({
      grant_id: id,
      client_id: clientId,
      account_id: accountId,
      version: 1,
      migrated_tokens: 1,
      handed_at: clock.now() - 2 * DAY,
      confirmed_at: null,
    })
    .execute();
  const told =
    /1 hand-over is not confirmed yet: it was handed over 20 Nov 2026, 10:00 UTC ?\. This service keeps a copy of its new tokens until 27 Nov 2026, 10:00 UTC/;
  expect(await owners(clientId)).toMatch(told);
  expect(wordsOf(await dana.get(`${system.bridgeUrl}/apps/${clientId}/move`))).toMatch(told);
  expect((await owners(clientId)).match(/not confirmed yet/g)).toHaveLength(1);
  expect(await supports(clientId)).toContain(
    '1 hand-over is not confirmed yet. Ask its owner to let the app confirm, once it has stored the new tokens.',
  );
  await keep(clock.now());
  for (const page of [await owners(clientId), await supports(clientId)])
    expect(page).not.toContain('not confirmed yet');
});

test('who does not know a program that nobody registered reads how to look at it and to end it', async () => {
  const clientId = await unidentifiedApp(system);
  await waitingToken(system, { app: { ...system.app, clientId }, accountId: DANA.accountId });
  const home = await dana.get(`${system.bridgeUrl}/apps`);
  expect(wordsOf(home)).toContain(
    'Do you not know this program? Do not connect it. Look at its calls ; if it is not yours, revoke it there.',
  );
  expect(home.body).toContain(`href="/apps/${clientId}">Look at its calls</a>`);
  const page = await dana.get(`${system.bridgeUrl}/apps/${clientId}`);
  expect(wordsOf(page)).toContain('If it is not yours, revoke it : its calls are refused from then on.');
  expect(page.body).toContain(`href="/apps/${clientId}/revoke"`);
  const { clientId: registered } = await appWith([]);
  await waitingToken(system, { app: { ...system.app, clientId: registered }, accountId: DANA.accountId });
  expect(await owners(registered)).not.toContain('Nobody registered');
});

const NONE_IN_USE = 'Nothing is left to do here: no token of';

test.each<[says: string, states: MappingState[]]>([
  ['Nothing is left to do: the app has moved', ['migrated', 'revoked']],
  [NONE_IN_USE, ['revoked']],
  [NONE_IN_USE, []],
])('an app with nothing left to do reads: %s', async (says, states) => {
  const { clientId } = await appWith(states);
  const { store } = system.bridge.context;
  await countCallsSince(store, 0);
  const id = `own-${clientId}`;
  const row = { id, client_id: clientId, secret_sealed: null, scopes: 'account:read', proven_at: 1 };
  await keepModernClient(store.durable, row);
  await useModernClient(store.durable, clientId, id);
  expect(await owners(clientId)).toContain(says);
  const steps = wordsOf(await dana.get(`${system.bridgeUrl}/apps/${clientId}/move`));
  expect(steps).toContain(says === NONE_IN_USE ? NONE_IN_USE : 'All steps are done');
});

test('once the old API has ended, support reads that connecting helps no more', async () => {
  const { clientId } = await appWith(['unmapped', STOPPED]);
  await setDate(system.bridge.context, 'sunset', '2026-11-21T10:00:00Z');
  expect(await supports(clientId)).toContain('The old API has ended for this app. Connecting helps no more.');
});

test('once the old API has ended, its owner is led to no consent, and not told of one', async () => {
  const { clientId } = await appWith(['unmapped']);
  await setDate(system.bridge.context, 'sunset', '2026-11-21T10:00:00Z');
  const at = `${system.bridgeUrl}/apps/${clientId}`;
  expect((await dana.get(`${at}/connect`)).location).toContain('?done=old-api-ended');
  const there = 'people connect at the new API with the app’s own client there';
  const page = wordsOf(await dana.get(`${at}/modern-client`));
  expect(page).toContain(there);
  expect(page).not.toMatch(/When people connect|from now on|Register an OAuth client|Test and use/);
  const { store } = system.bridge.context;
  await countCallsSince(store, 0);
  const move = wordsOf(await dana.get(`${at}/move`));
  expect(move).toMatch(/steps are done, and no more can be/);
  expect(move).toContain('Nothing is left to do on this page.');
  expect(move).not.toMatch(/not yet|next/);
  const row = {
    id: 'planner-late',
    client_id: clientId,
    secret_sealed: null,
    scopes: 'account:read',
    proven_at: 1,
  };
  await keepModernClient(store.durable, row);
  await useModernClient(store.durable, clientId, 'planner-late');
  const entered = wordsOf(await dana.get(`${at}/modern-client`));
  expect(entered).toContain(there);
  expect(entered).not.toMatch(/from now on|let them connect|go by the name of/);
});
