import { examineRefreshing } from '../../../src/domain/checks/own-checks.ts';
import { browserOf, wordsOf } from '../../owners/support/people.ts';
import { keyFor, type Program, programOf } from '../../staff-api/support/api-client.ts';
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
let program: Program;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, log: { level: 'warn', stream } });
  program = programOf(system, (await keyFor(system, 'reader')).key);
});

afterAll(() => system.stop());

const durable = () => system.bridge.context.store.durable;
const grants = () => durable().selectFrom('grants').selectAll().execute();

const moveTo = (modern_client_id: string) =>
  durable().updateTable('grants').set({ modern_client_id }).execute();

const alarms = () => lines().filter((line) => line.includes('connections stand on a client'));

interface Told {
  /** Whether the page of the token says so, and whether the staff API says that the client is known. */
  client: [boolean, boolean];
  /** How the token stands for support, whose page and API say the same, and for its holder. */
  kind: string;
  support: string;
  holder: string;
}

async function told(): Promise<Told> {
  const connected = durable().selectFrom('mappings').select('id').where('grant_id', 'is not', null);
  const { id } = await connected.executeTakeFirstOrThrow();
  const staff = await staffBrowser(system, 'reader');
  const page = wordsOf(await staff.get(`${system.bridgeUrl}/support/mappings/${id}`));
  const { json } = await program.get(`/tokens/${id}`);
  const { grant, status } = json as {
    grant: { is_client_known: boolean };
    status: { kind: string; sentence: string; next: string };
  };
  const support = `${status.sentence} Next: ${status.next}`;
  for (const words of [status.sentence, status.next]) expect(page).toContain(words);
  const dana = await browserOf(system);
  const holder = wordsOf(await dana.get(`${system.bridgeUrl}/apps/${system.app.clientId}/tokens`));
  return {
    client: [/not known here .*is not renewed/.test(page), grant.is_client_known],
    kind: status.kind,
    support,
    holder,
  };
}

const NOT_ANSWERED = 'Calls that the new API answers get the last known answer or are refused meanwhile';

test('nothing is presented for them by another client, and they are renewed once their client is back', async () => {
  const token = await issueToken(system);
  const profiles = () => read(system, '/1/profiles.json', token);
  await profiles();
  await moveTo('an-earlier-client');
  expect(await told()).toMatchObject({
    kind: 'warning',
    support: expect.stringMatching(/^It works for now, but .*not renewed.* Next: Tell the operator/),
    holder: expect.stringContaining('cannot be renewed, because a setting of this service was changed. It'),
  });
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
  expect(await told()).toEqual({
    client: [true, false],
    kind: 'warning',
    support: expect.stringMatching(
      /^Its access token has expired and its connection is not renewed.*503\. Next:/,
    ),
    holder: expect.stringContaining(`and what it gave last has expired. ${NOT_ANSWERED}`),
  });
  await moveTo(system.bridge.context.server.clientId);
  expect((await examineRefreshing(system.bridge.context)).detail).not.toContain('MODERN_CLIENT_ID');
  // It rests from the last attempt, and no call is answered anew before the next one.
  expect(await told()).toEqual({
    client: [false, true],
    kind: 'warning',
    support: expect.stringMatching(
      /could not be renewed yet, so calls .* 503 until it is\. Next: Wait for the next/,
    ),
    holder: expect.stringContaining(`could not be renewed yet. ${NOT_ANSWERED}`),
  });
  clock.advance(60_000);
  const answer = await profiles();
  expect([answer.status, answer.headers['age']]).toEqual([200, undefined]);
  expect(await grants()).toMatchObject([{ state: 'ready', version: 2 }]);
  expect(await told()).toMatchObject({
    kind: 'ok',
    support: expect.stringMatching(/^It works: it is connected to the new API\. Next: Nothing/),
    holder: expect.stringContaining('Connected. Its calls are answered.'),
  });
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
