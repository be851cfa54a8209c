import { useModernClient } from '../../src/store/apps/modern-clients.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { exchange as exchangeCode, read, tokenOf } from '../support/callers/legacy-calls.ts';
import { returnAddress } from '../support/callers/return-address.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { OWN_CLIENT, useOwnClient } from './support/own-client.ts';

/** The owner enters, changes or removes the own client of an app while a person is on the way to the new API and back. */

let system: System;

beforeAll(async () => {
  system = await startSystem({ ownClients: [OWN_CLIENT] });
});
afterAll(() => system.stop());

const durable = () => system.bridge.context.store.durable;
const removeClient = () => useModernClient(durable(), system.app.clientId, null);

beforeEach(removeClient);

async function consented() {
  const browser = new CookieWalker();
  return { browser, address: (await returnAddress(system, browser)).href };
}

/** The client of the grant of the newest consent, whose app gets a token that works. */
async function connectedBy({ browser, address }: Awaited<ReturnType<typeof consented>>) {
  const { location = '' } = await browser.get(address);
  const code = decodeURIComponent(new URL(location).searchParams.get('code') ?? '');
  const token = tokenOf(await exchangeCode(system, code));
  expect((await read(system, '/1/user.json', token)).status).toBe(200);
  const live = durable().selectFrom('grants').select('modern_client_id').where('state', '<>', 'dead');
  return (await live.executeTakeFirstOrThrow()).modern_client_id;
}

test('a client that is entered meanwhile: the consent ends by the client of the bridge', async () => {
  const left = await consented();
  await useOwnClient(system, OWN_CLIENT);
  expect(await connectedBy(left)).toBe(system.bridge.context.server.clientId);
});

test('a client that is removed meanwhile: the consent ends by that client', async () => {
  await useOwnClient(system, OWN_CLIENT);
  const left = await consented();
  await removeClient();
  expect(await connectedBy(left)).toBe(OWN_CLIENT.clientId);
});

test('a client that became another app’s meanwhile: the app is told that it failed, and nothing is connected', async () => {
  await useOwnClient(system, OWN_CLIENT);
  const { browser, address } = await consented();
  await removeClient();
  const other = await system.registerApp('https://other.example/callback');
  await useOwnClient({ ...system, app: other }, OWN_CLIENT);
  const before = await durable().selectFrom('grants').select('id').execute();
  const { location } = await browser.get(address);
  expect(location).toBe('https://old-app.example/callback?error=server_error&state=app-state');
  expect(await durable().selectFrom('grants').select('id').execute()).toEqual(before);
  await useOwnClient(system, OWN_CLIENT);
});

test('a request of an earlier version, which says no client, ends by the present one', async () => {
  const left = await consented();
  const unsaid = { modern_client_id: null, consent_scopes: null, callback_path: null };
  await durable().updateTable('authorization_requests').set(unsaid).execute();
  expect(await connectedBy(left)).toBe(system.bridge.context.server.clientId);
});
