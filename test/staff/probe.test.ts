import { MINUTE } from '../../src/shared/lifetimes.ts';
import { wordsOf } from '../owners/support/people.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { mappingOf } from '../support/bridge/waiting-token.ts';
import { act, becomes, eventsOf } from './support/actions.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** Support asks whether a connection works: by the rules of every call, and without presenting anything in doubt. */

let system: System;
let sam: CookieWalker;
let mapping: { id: string; grantId: string };
const clock = new SettableClock();
beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock, clientSecret: 'a secret of the bridge' });
  sam = await staffBrowser(system, 'agent');
  const row = await mappingOf(system.bridge, await issueToken(system));
  mapping = { id: row?.id ?? '', grantId: row?.grant_id ?? '' };
});
afterAll(() => system.stop());

// Beyond the brake of the test before.
beforeEach(() => {
  clock.advance(2 * MINUTE);
  clock.run();
  system.proxy.onOtherAnswer = undefined;
});

const page = () => `${system.bridgeUrl}/support/mappings/${mapping.id}/probe`;
const probe = async () => (await act(sam, page())).location?.split('?done=')[1];

const probes = async () =>
  (await eventsOf(system, mapping.id))
    .filter(({ action }) => action === 'grant_probed')
    .map(({ reason }) => reason);

async function changeGrant(changes: Record<string, unknown>): Promise<void> {
  const { durable } = system.bridge.context.store;
  await durable.updateTable('grants').set(changes).where('id', '=', mapping.grantId).execute();
}

test('a connection that works says so, by a read and no refresh, and the history has it', async () => {
  const before = { reads: system.proxy.readings().length, refreshes: system.proxy.refreshes().length };
  expect(await probe()).toBe('probe-works');
  expect(system.proxy.readings().length).toBeGreaterThan(before.reads);
  expect(system.proxy.refreshes()).toHaveLength(before.refreshes);
  expect(await probes()).toEqual(['works: ticket 4711']);
});

test('before the test it is said what it does to a connection that has ended', async () => {
  const words = wordsOf(await sam.get(page()));
  expect(words).toContain('it is marked as stopped and its holder is told');
  expect(words).not.toContain('Nothing changes for the app');
});

test('an expired access token is renewed first, as for a call', async () => {
  const before = system.proxy.refreshes().length;
  await changeGrant({ access_expires_at: clock.now() - 1 });
  expect(await probe()).toBe('probe-works');
  expect(system.proxy.refreshes()).toHaveLength(before + 1);
});

test('a modern side that fails is no answer, and ends nothing', async () => {
  system.proxy.onOtherAnswer = (_call, answer) => ({ ...answer, status: 503 });
  expect(await probe()).toBe('probe-no-answer');
  expect((await probes()).at(-1)).toBe('no answer: ticket 4711');
});

test('in doubt nothing is presented: the access token is tried while it lives, and then it waits', async () => {
  const before = system.proxy.refreshes().length;
  const now = clock.now();
  await changeGrant({ state: 'in_doubt', doubt_since: now, presented_at: now, claim_id: 'c'.repeat(24) });
  expect(await probe()).toBe('probe-doubt-served');
  system.proxy.onOtherAnswer = (_call, answer) => ({ ...answer, status: 401 });
  expect(await probe()).toBe('probe-doubt-refused');
  await changeGrant({ access_expires_at: clock.now() - 1 });
  const reads = system.proxy.readings().length;
  expect(await probe()).toBe('probe-doubt-unsure');
  expect(system.proxy.readings()).toHaveLength(reads);
  await changeGrant({ presented_at: clock.now() - 10 * MINUTE });
  system.proxy.onOtherAnswer = undefined;
  expect(await probe()).toBe('probe-doubt-live');
  system.proxy.onOtherAnswer = (_call, answer) => ({ ...answer, body: Buffer.from('{"active":false}') });
  expect(await probe()).toBe('probe-doubt-spent');
  expect(system.proxy.refreshes()).toHaveLength(before);
  const { durable } = system.bridge.context.store;
  const grant = await durable
    .selectFrom('grants')
    .select('state')
    .where('id', '=', mapping.grantId)
    .executeTakeFirstOrThrow();
  expect(grant.state).toBe('in_doubt');
  await changeGrant({
    state: 'ready',
    doubt_since: null,
    presented_at: null,
    claim_id: null,
    access_expires_at: clock.now() + 30 * MINUTE,
  });
});

test('six a minute are enough for one person, and the form keeps what was typed', async () => {
  const open = await sam.get(page());
  const form = sam.forms(open).find(({ action }) => action.endsWith('/probe'));
  const fields = Object.fromEntries((form?.fields ?? []).map(({ name, value }) => [name, value]));
  const send = () => sam.post(page(), { ...fields, reason: 'again' }, { origin: system.bridgeUrl });
  for (let count = 0; count < 6; count += 1) expect((await send()).status).toBe(303);
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(wordsOf(refused)).toContain('You tested 6 times within a minute');
  expect(refused.body).toContain('value="again"');
});

test('a reader may not ask', async () => {
  const before = await probes();
  const open = await sam.get(page());
  const form = sam.forms(open).find(({ action }) => action.endsWith('/probe'));
  const fields = Object.fromEntries((form?.fields ?? []).map(({ name, value }) => [name, value]));
  await becomes(system, 'reader');
  expect((await sam.get(page())).status).toBe(403);
  const sent = await sam.post(page(), { ...fields, reason: 'x' }, { origin: system.bridgeUrl });
  expect(sent.status).toBe(403);
  expect(await probes()).toEqual(before);
  await becomes(system, 'agent');
});

test('where the grant is dead, or the token does not stand on it, there is nothing to test', async () => {
  await changeGrant({ state: 'dead', dead_at: clock.now(), dead_cause: 'refused' });
  const before = await probes();
  expect(await probe()).toBe('too-late');
  expect(await probes()).toEqual(before);
});
