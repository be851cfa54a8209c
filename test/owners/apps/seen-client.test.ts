import { enteredClientOf } from '../../../src/domain/handover/enter-modern-client.ts';
import { keepModernClient, useModernClient } from '../../../src/store/apps/modern-clients.ts';
import { keepGrant } from '../../staff/support/grants.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import type { Page } from '../../support/callers/cookie-walker.ts';
import { browserOf, DANA, historyOf, pressIn, wordsOf } from '../support/people.ts';

/** Entering a client decides about the hand-overs of the one in use, so the form names the client that it showed. */

const OWN = { clientId: 'planner-client', clientSecret: 'planner-secret', name: 'Night planner' };

let system: System;

beforeAll(async () => {
  system = await startSystem({ ownClients: [OWN] });
});

afterAll(() => system.stop());

test('entering another client decides about the former one only if the form showed it, and tells the history', async () => {
  const dana = await browserOf(system);
  const { clientId } = await registerLegacyApp(system.bridge, 'https://own.example/cb', DANA.accountId);
  const { context } = system.bridge;
  const { durable } = context.store;
  const row = {
    id: 'before',
    client_id: clientId,
    secret_sealed: null,
    scopes: 'account:read',
    proven_at: 1,
  };
  await keepModernClient(durable, row);
  const unseen = await dana.get(`${system.bridgeUrl}/apps/${clientId}/modern-client`);
  await useModernClient(durable, clientId, 'before');
  const entries = { modern_client_id: OWN.clientId, client_secret: OWN.clientSecret };
  const press = (page: Page) => pressIn(dana, page, /^Test and use this client$/, entries);
  const refused = await press(unseen);
  expect(wordsOf(refused)).toContain('the app uses another client than when you opened the form');
  expect(await enteredClientOf(context, clientId)).toMatchObject({ id: 'before' });
  // The page of the refusal shows the client in use. A form that is sent twice decides once.
  for (const page of [refused, refused]) expect((await press(page)).status).toBe(303);
  expect(await enteredClientOf(context, clientId)).toMatchObject({ id: OWN.clientId });
  const history = (await historyOf(system, clientId)).join();
  expect(history.match(/modern_client_handovers_\w+: client \w+/g)).toEqual([
    'modern_client_handovers_ended: client before',
  ]);
});

test('a connection of a client of before is said to be taken by that client, with or without one in use', async () => {
  const dana = await browserOf(system);
  const { clientId } = await registerLegacyApp(system.bridge, 'https://former.example/cb', DANA.accountId);
  const { durable } = system.bridge.context.store;
  const page = async () => dana.get(`${system.bridgeUrl}/apps/${clientId}/move`);
  expect(wordsOf(await page())).toContain('Enter a client first');
  const row = { client_id: clientId, secret_sealed: null, scopes: 'account:read', proven_at: 1 };
  await keepModernClient(durable, { ...row, id: 'planner-before' });
  await durable
    .updateTable('modern_clients')
    .set({ keeps_handovers: 1 })
    .where('id', '=', 'planner-before')
    .execute();
  await keepGrant(system, { client_id: clientId, modern_client_id: 'planner-before' });
  expect(wordsOf(await page())).not.toContain('Enter a client first');
  await keepModernClient(durable, { ...row, id: 'planner-now' });
  await useModernClient(durable, clientId, 'planner-now');
  const { body } = await page();
  const handOver = body.slice(body.indexOf('<h2 id="hand-over">'));
  expect(handOver).toContain('the id and secret of the client that it was made with');
  expect(handOver).toContain('$TAKING_CLIENT_ID');
  expect(handOver).not.toContain('planner-now');
  const named = 'that the connection was made with, such as planner-before.';
  expect(wordsOf(await page())).toContain(named);
  // Whoever took the last connection over still confirms it, and nobody else can.
  const { id: grant_id } = await durable
    .updateTable('grants')
    .set({ state: 'dead' })
    .where('client_id', '=', clientId)
    .returning('id')
    .executeTakeFirstOrThrow();
  expect(wordsOf(await page())).not.toContain(named);
  const taken = { client_id: clientId, account_id: DANA.accountId, version: 1, migrated_tokens: 1 };
  const handed_at = system.bridge.context.clock.now() - 1000;
  await durable
    .insertInto('handovers')
    .values({ grant_id, handed_at, confirmed_at: null, ...taken })
    .execute();
  expect(wordsOf(await page())).toContain(named);
});
