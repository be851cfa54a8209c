import { examineRefreshing } from '../../../src/domain/checks/own-checks.ts';
import { wordsOf } from '../../owners/support/people.ts';
import { keyFor, programOf } from '../../staff-api/support/api-client.ts';
import { staffBrowser } from '../../staff/support/staff-browser.ts';
import { logLines } from '../../support/bridge/log-lines.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { refreshIdleGrants } from '../../../src/domain/grants/refresh/refresh-idle-grants.ts';
import { keepModernClient } from '../../../src/store/apps/modern-clients.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';

/** Connections of a client that serves none: MODERN_CLIENT_ID was changed while they live, or the new API refuses it. */

const clock = new SettableClock();
const { stream, lines } = logLines();
let system: System;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, log: { level: 'warn', stream } });
});

afterAll(() => system.stop());

const durable = () => system.bridge.context.store.durable;
const grants = () => durable().selectFrom('grants').selectAll().execute();

const moveTo = (modern_client_id: string) =>
  durable().updateTable('grants').set({ modern_client_id }).execute();

const alarms = () => lines().filter((line) => line.includes('connections stand on a client'));

/** Whether the page of the token says so, and whether the staff API says that the client is known. */
async function toldToSupport(): Promise<[boolean, boolean]> {
  const connected = durable().selectFrom('mappings').select('id').where('grant_id', 'is not', null);
  const { id } = await connected.executeTakeFirstOrThrow();
  const staff = await staffBrowser(system, 'reader');
  const page = wordsOf(await staff.get(`${system.bridgeUrl}/support/mappings/${id}`));
  const { key } = await keyFor(system, 'reader');
  const { json } = await programOf(system, key).get(`/tokens/${id}`);
  const { grant } = json as { grant: { is_client_known: boolean } };
  return [/not known here .*is not renewed/.test(page), grant.is_client_known];
}

test('nothing is presented for them by another client, and they are renewed once their client is back', async () => {
  const token = await issueToken(system);
  const profiles = () => read(system, '/1/profiles.json', token);
  await profiles();
  await moveTo('an-earlier-client');
  clock.advance(3_700_000);
  const before = system.proxy.refreshes().length;
  await refreshIdleGrants(system.bridge.context);
  const attempts = async () => (await grants())[0]?.attempts ?? 0;
  for (let call = 0; call < 3; call += 1) {
    const answer = await profiles();
    expect([answer.status, Number(answer.headers['age']) > 0]).toEqual([200, true]);
    clock.advance(30_000);
  }
  expect(system.proxy.refreshes()).toHaveLength(before);
  expect(await grants()).toMatchObject([{ state: 'ready', version: 1, dead_cause: null }]);
  expect(alarms().map((line) => JSON.parse(line) as unknown)).toEqual(
    expect.arrayContaining([expect.objectContaining({ modernClientId: 'an-earlier-client' })]),
  );
  expect(alarms().length).toBeLessThanOrEqual(2);
  expect(await attempts()).toBeLessThanOrEqual(2);
  const refreshing = await examineRefreshing(system.bridge.context);
  expect(refreshing).toEqual({
    state: 'warning',
    detail: expect.stringContaining('are not renewed: 1 of an-earlier-client. Set MODERN_CLIENT_ID back'),
  });
  expect(await toldToSupport()).toEqual([true, false]);
  await moveTo(system.bridge.context.server.clientId);
  expect((await examineRefreshing(system.bridge.context)).detail).not.toContain('MODERN_CLIENT_ID');
  expect(await toldToSupport()).toEqual([false, true]);
  clock.advance(60_000);
  const answer = await profiles();
  expect([answer.status, answer.headers['age']]).toEqual([200, undefined]);
  expect(await grants()).toMatchObject([{ state: 'ready', version: 2 }]);
});

test('of an app’s own client that is refused the alarm names the app, once a minute', async () => {
  const token = await issueToken(system);
  const [own, clientId] = ['own-client-of-the-app', system.app.clientId];
  const client = { id: own, client_id: clientId, secret_sealed: null, scopes: 'account:read', proven_at: 1 };
  await keepModernClient(durable(), client);
  await moveTo(own);
  clock.advance(3_700_000);
  system.proxy.onTokenAnswer = () => ({
    status: 401,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"error":"invalid_client"}'),
  });
  try {
    for (let call = 0; call < 3; call += 1) {
      await read(system, '/1/profiles.json', token);
      clock.advance(25_000);
    }
  } finally {
    system.proxy.onTokenAnswer = undefined;
  }
  const refused = lines().filter((line) => line.includes('the new API refuses the client'));
  expect(refused).toHaveLength(1);
  expect(JSON.parse(refused[0] ?? '{}')).toMatchObject({
    message: expect.stringContaining('the client of an app: its owner has to enter it again'),
    refusal: 'invalid_client',
    modernClientId: own,
    clientId,
  });
});
