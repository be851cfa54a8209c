import { countCallsSince } from '../../src/store/usage/known-calls.ts';
import { addUsage } from '../../src/store/usage/usage.ts';
import { keepProgress } from '../../src/domain/progress/keep-progress.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { browserOf, consentAt, DANA, pressIn, SAM, waitingToken, wordsOf } from '../owners/support/people.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { type RegisteredApp, registerLegacyApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** The first page of a person and the page of progress: what needs me today, and how far my apps have come. */

let system: System;
let dana: CookieWalker;
let sam: CookieWalker;
let own: RegisteredApp;

beforeAll(async () => {
  // Nobody asks it; while it is there, what waits is not refused.
  system = await startSystem({ env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  await countCallsSince(system.bridge.context.store, 0);
  [dana, sam] = [await browserOf(system), await browserOf(system, SAM)];
});
afterAll(() => system.stop());

const store = () => system.bridge.context.store;
const home = async (browser = dana) => browser.get(`${system.bridgeUrl}/apps`);
const progress = async (browser = dana) => browser.get(`${system.bridgeUrl}/apps/progress`);
const count = () => keepProgress(system.bridge.context);

test('a new person is told what can be done here, and meets no empty list', async () => {
  const words = wordsOf(await home());
  expect(words).toMatch(/Nothing of the old API is known to be yours yet.*Paste a token.*Register an app/);
  expect(words).not.toContain('What needs you today');
  expect(wordsOf(await progress())).toMatch(/You have not registered an app. Register an app/);
});

const saysUnproven = async () => wordsOf(await home()).includes('waits under your e-mail address');

test('a token that has ended, or of a retired app, waits under no address', async () => {
  const { id } = await waitingToken(system, { email: DANA.login });
  expect(await saysUnproven()).toBe(true);
  await store().durable.updateTable('mappings').set({ state: 'revoked' }).where('id', '=', id).execute();
  expect(await saysUnproven()).toBe(false);
  const { clientId } = await system.registerApp('https://retired.example/cb');
  await waitingToken(system, { app: { ...system.app, clientId }, email: DANA.login });
  expect(await saysUnproven()).toBe(true);
  await store()
    .durable.updateTable('apps')
    .set({ retired_at: 1 })
    .where('client_id', '=', clientId)
    .execute();
  expect(await saysUnproven()).toBe(false);
});

test('what has stopped comes first, with its reason and time; then what was never connected', async () => {
  const [stopped, other] = [system.app, await system.registerApp('https://second.example/cb')];
  await waitingToken(system, { app: other, accountId: DANA.accountId });
  const { id } = await waitingToken(system, { accountId: DANA.accountId, state: 'reauthorization_required' });
  const at = Date.parse('2026-02-03T04:05:00Z');
  await store()
    .durable.updateTable('mappings')
    .set({ reason: 'grant_refused', updated_at: at })
    .where('id', '=', id)
    .execute();
  const page = await home();
  expect(wordsOf(page)).toMatch(
    /“Old App” has stopped working The new API .* revoked in the account settings .* Connect once, and 1 token works\. Since 3 Feb 2026, 04:05 UTC.*“Old App” is not connected to the new API/,
  );
  expect(page.body).toContain('datetime="2026-02-03T04:05:00.000Z"');
  const actions = dana.forms(page).map(({ action }) => new URL(action).pathname);
  expect(actions.filter((path) => path.endsWith('/connect'))).toEqual([
    `/apps/${stopped.clientId}/connect`,
    `/apps/${other.clientId}/connect`,
  ]);
  for (const app of [stopped, other]) {
    const from = await home();
    const part = from.body.split('<section').find((one) => one.includes(`needs-app-${app.clientId}`)) ?? '';
    const left = await pressIn(dana, { ...from, body: `<section${part}` }, /^Connect/);
    await dana.get(await consentAt(system, left, { person: DANA }));
  }
  const mended = wordsOf(await home());
  expect(mended).toContain('Nothing: no app of yours waits for you.');
  expect(mended).not.toMatch(/Connect again|Its own next date/);
});

test('an owner sees who waits for the own app, and nobody else does', async () => {
  own = await registerLegacyApp(system.bridge, 'https://own.example/cb', DANA.accountId);
  await waitingToken(system, { app: own, accountId: DANA.accountId, state: 'active' });
  await waitingToken(system, { app: own, accountId: SAM.accountId });
  await waitingToken(system, { app: own, email: 'carl@box.example' });
  await waitingToken(system, { app: own, email: 'carl@box.example' });
  const page = await home();
  expect(wordsOf(page)).toContain('Old App: 2 people. See who waits');
  expect(wordsOf(page)).toContain('You are not counted.');
  expect(page.body).toContain(`href="/apps/${own.clientId}/tokens"`);
  expect(wordsOf(page)).toMatch(/4 tokens waiting 1 token connected/);
  expect(wordsOf(await home(sam))).not.toMatch(/People have still|carl@/);
});

test('each app shows its calls of the last thirty days as a small chart with their number', async () => {
  const { id } = await waitingToken(system, { app: own, accountId: DANA.accountId, state: 'active' });
  const now = system.bridge.context.clock.now();
  const row = { mapping_id: id, endpoint: '/1/user.json', carrier: 'header', user_agent: 'x', outcome: 'ok' };
  const days = [
    { day: dayOf(now), calls: 1200 },
    { day: dayOf(now - 29 * DAY), calls: 34 },
    { day: dayOf(now - 30 * DAY), calls: 5000 },
  ];
  for (const each of days) await addUsage(store(), [{ ...row, ...each, last_at: now }]);
  const page = await home();
  expect(wordsOf(page)).toContain('1,234 calls in the last 30 days');
  expect(page.body).toMatch(/<svg class="sparkline"[^>]*role="img"/);
  expect(wordsOf(page)).toContain('No call in the last 30 days');
});

test('of an app with very many tokens the page says what there is now, and stays small', async () => {
  const rows = Array.from({ length: 5100 }, (_, index) => ({
    id: `bulk${String(index).padStart(6, '0')}`,
    token_digest: `bulk-${index}`,
    client_id: own.clientId,
    account_email: `p${index}@box.example`,
    state: 'unmapped' as const,
    source: 'imported' as const,
    created_at: 1,
    updated_at: 1,
  }));
  for (let start = 0; start < rows.length; start += 300)
    await store()
      .durable.insertInto('mappings')
      .values(rows.slice(start, start + 300))
      .execute();
  const page = await home();
  expect(wordsOf(page)).toContain('Old App: 5,102 people. See who waits');
  expect(wordsOf(page)).toMatch(
    /Old App 5,104 tokens waiting 2 tokens connected 1,234 calls in the last 30 days/,
  );
  await count();
  expect(Buffer.byteLength(page.body)).toBeLessThan(100_000);
});

test('progress is told in a sentence and, from the second day on, against the retirement in a chart', async () => {
  expect(wordsOf(await progress())).toMatch(
    /2 of 5,106 tokens are connected or moved; 5,104 are not connected\. No retirement date is set yet\..*The chart starts tomorrow/,
  );
  const now = system.bridge.context.clock.now();
  const before = { unmapped: 5000, active: 0, reauthorization_required: 0, revoked: 0, migrated: 0 };
  await store()
    .durable.insertInto('progress')
    .values({ client_id: own.clientId, day: dayOf(now - 20 * DAY), waiting_people: 0, ...before })
    .execute();
  await store()
    .durable.insertInto('lifecycle_dates')
    .values({ name: 'retirement', at: now + 10 * DAY, changed_at: now, changed_by: 'test' })
    .execute();
  await system.bridge.context.lifecycle.refresh();
  await until(async () => wordsOf(await progress()).includes('in 10 days'));
  const page = await progress();
  expect(wordsOf(page)).toMatch(/none of them works until it is connected\. As counted \d.* UTC/);
  expect(wordsOf(page)).toMatch(
    /are not connected\. The old API retires in 10 days \. From then on none of them works until it is connected/,
  );
  expect(page.body).toMatch(
    /Tokens of all your apps<\/title><desc[^>]*>[^<]*Not connected: from 5,000 to 5,104\./,
  );
  expect(page.body).toMatch(/chart-mark-label"[^>]*>Retirement, /);
  expect(wordsOf(await progress(sam))).toContain('You have not registered an app.');
});

test('after the sunset an owner reads which apps still called, and is warned before one is registered', async () => {
  const at = (path: string) => `${system.bridgeUrl}/apps/${path}`;
  expect(wordsOf(await dana.get(at('register')))).not.toContain('The old API ended');
  // Of very many tokens the calls are not read.
  await store().durable.deleteFrom('mappings').where('id', 'like', 'bulk%').execute();
  const now = system.bridge.context.clock.now();
  await store()
    .durable.insertInto('lifecycle_dates')
    .values({ name: 'sunset', at: now - DAY, changed_at: now, changed_by: 'test' })
    .execute();
  await system.bridge.context.lifecycle.refresh();
  await until(async () => wordsOf(await dana.get(at('register'))).includes('The old API ended on'));
  const page = await home();
  expect(wordsOf(page)).toMatch(
    /One of your apps called the old API in the last 30 days .* is refused\. .*Old App: .*1,234 calls in/,
  );
  expect(page.body).toContain(`href="/apps/${own.clientId}/move"`);
  expect(wordsOf(page)).not.toContain('Nothing: no app of yours waits');
  const form = await dana.get(at('paste-token'));
  expect(wordsOf(await pressIn(dana, form, /^Look it up$/, { token: 'x' }))).toMatch(
    /not known here\. Check that it is whole\. Write to support/,
  );
});
