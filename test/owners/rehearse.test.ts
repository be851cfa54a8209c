import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { DANA, historyOf, pressIn, wordsOf } from './support/people.ts';
import { startTwoBridges, type TwoBridges } from './support/two-bridges.ts';

/** The rehearsal: for five minutes the owner's app alone is answered as after a date, and the owner sees what failed. */

const DAY = 86_400_000;
const MINUTE = 60_000;

const clock = new SettableClock();
let two: TwoBridges;
let system: TwoBridges['system'];
let other: TwoBridges['other'];
let dana: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
let waiting: string;
let neighbour: string;

beforeAll(async () => {
  two = await startTwoBridges(clock);
  ({ system, other, dana, sam } = two);
});

afterAll(() => two.stop());

const page = () => `${system.bridgeUrl}/apps/${app.clientId}/rehearse`;

async function setDates(dates: Partial<Record<'retirement' | 'sunset', number>>): Promise<void> {
  const { durable } = system.bridge.context.store;
  await durable.deleteFrom('lifecycle_dates').execute();
  for (const [name, at] of Object.entries(dates))
    await durable
      .insertInto('lifecycle_dates')
      .values({ name: name as 'sunset', at, changed_at: clock.now(), changed_by: 'test' })
      .execute();
  await system.bridge.context.lifecycle.refresh();
  await until(async () => {
    const { body } = await dana.get(page());
    return ['retirement', 'sunset'].every(
      (name) => body.includes(`value="${name}"`) === (dates[name as 'sunset'] ?? 0) > clock.now(),
    );
  });
}

beforeEach(async () => {
  await system.bridge.context.store.durable.deleteFrom('brownouts').execute();
  app = await registerLegacyApp(system.bridge, 'https://mine.example/cb', DANA.accountId);
  const another = await registerLegacyApp(system.bridge, 'https://theirs.example/cb', DANA.accountId);
  [waiting, neighbour] = [await two.passedToken(app), await two.passedToken(another)];
  await setDates({ retirement: clock.now() + 40 * DAY, sunset: clock.now() + 90 * DAY });
});

async function call(token: string, bridgeUrl = system.bridgeUrl) {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'old-client/1.0' };
  return sendRaw(bridgeUrl, { path: '/1/profiles.json', headers });
}

const statusOf = async (token: string, bridgeUrl?: string) => (await call(token, bridgeUrl)).status;

const START = /^Start the rehearsal$/;

async function start(rehearses: string): Promise<Page> {
  return dana.follow(await pressIn(dana, await dana.get(page()), START, { rehearses }));
}

async function rows() {
  const all = system.bridge.context.store.durable.selectFrom('brownouts').selectAll();
  return all.where('client_id', '=', app.clientId).orderBy('starts_at').execute();
}

/** The window of the rehearsal that was begun last. */
async function window(): Promise<{ startsAt: number; endsAt: number }> {
  const last = (await rows()).at(-1);
  if (!last) throw new Error('no rehearsal was begun');
  return { startsAt: last.starts_at, endsAt: last.ends_at };
}

const history = async () =>
  (await historyOf(system, app.clientId)).flatMap((line) => /^rehearsal_\w+: the \w+/.exec(line) ?? []);

test('a retirement: tokens that are not connected fail, nothing else does, and it ends to the millisecond', async () => {
  const active = await issueToken(system, { app });
  expect(await statusOf(waiting)).toBe(200);
  const begun = await start('retirement');
  expect(begun.url).toBe(page());
  expect(begun.headers.get('refresh')).toBe('10');
  expect(wordsOf(begun)).toMatch(/Retirement: the rehearsal begins in a moment .*No call has failed so far/);
  const { startsAt, endsAt } = await window();
  expect([startsAt - clock.now(), endsAt - startsAt]).toEqual([2000, 5 * MINUTE]);

  expect(await statusOf(waiting)).toBe(200);
  clock.set(startsAt - 1);
  expect(await statusOf(waiting)).toBe(200);
  clock.set(startsAt);
  const refused = await call(waiting);
  expect(refused.status).toBe(401);
  expect(refused.json).toMatchObject({
    code: 401,
    error: expect.stringMatching(
      new RegExp(
        `^The owner of this app rehearses .* Read more at ${system.bridgeUrl}/apps/${app.clientId}$`,
      ),
    ),
  });
  expect(await Promise.all([active, neighbour].map((token) => statusOf(token)))).toEqual([200, 200]);

  clock.set(endsAt - 72_000);
  await until(async () => wordsOf(await dana.get(page())).includes('1 call failed so far'));
  const running = await dana.get(page());
  expect(wordsOf(running)).toMatch(/Retirement: the rehearsal runs 1 minute 12 seconds left\./);
  expect(wordsOf(running)).toMatch(/\/1\/ profiles\.json the header old-client\/1\.0 1 .+:\d\d:\d\d UTC/);
  expect(running.body).not.toContain(waiting);

  clock.set(endsAt - 1);
  expect(await statusOf(waiting)).toBe(401);
  clock.set(endsAt);
  expect(await statusOf(waiting)).toBe(200);
  const settling = await dana.get(page());
  expect(wordsOf(settling)).toContain('The last calls are still being counted.');
  expect(settling.headers.get('refresh')).toBe('10');
  clock.advance(MINUTE);
  const over = await dana.get(page());
  expect(over.headers.get('refresh')).toBeNull();
  expect(wordsOf(over)).toMatch(
    /Result: 2 calls would have failed .*What to do: whoever the tokens belong to that are not connected opens/,
  );
  expect(wordsOf(over)).not.toContain('Earlier rehearsals');
  expect(await history()).toEqual(['rehearsal_started: the retirement']);
});

test('a sunset: every call of the app fails, on every process, and the owner can end it early', async () => {
  const active = await issueToken(system, { app });
  await start('sunset');
  const { startsAt, endsAt } = await window();
  clock.set(startsAt);
  // The other process reads what is planned once a second.
  await until(async () => (await statusOf(waiting, other.url)) === 410);
  const bridges = [system.bridgeUrl, other.url];
  const statuses = async (token: string) => Promise.all(bridges.map((url) => statusOf(token, url)));
  clock.set(startsAt - 1);
  expect(await statuses(waiting)).toEqual([200, 200]);
  for (const time of [startsAt, endsAt - 1]) {
    clock.set(time);
    expect(await statuses(waiting)).toEqual([410, 410]);
    expect(await statusOf(active)).toBe(410);
    expect(await statuses(neighbour)).toEqual([200, 200]);
  }
  clock.set(endsAt);
  expect(await statuses(waiting)).toEqual([200, 200]);

  clock.advance(MINUTE);
  await start('sunset');
  const again = await window();
  clock.set(again.startsAt);
  expect(await statusOf(active)).toBe(410);
  const overview = await dana.get(`${system.bridgeUrl}/apps/${app.clientId}`);
  expect(wordsOf(overview)).toMatch(
    /Overview .*A rehearsal runs until .* Every call to the old API is refused\. See what fails/,
  );
  const looking = await dana.get(`${page()}?watch=off`);
  expect(looking.headers.get('refresh')).toBeNull();
  const stopped = await dana.follow(await pressIn(dana, looking, /^End the rehearsal now$/));
  expect(wordsOf(stopped)).toMatch(/^.*Stopped\. Calls of this app are answered as before\./);
  expect(await statusOf(active)).toBe(200);
  await until(async () => (await statusOf(waiting, other.url)) === 200);
  clock.advance(MINUTE);
  expect(wordsOf(await dana.get(page()))).toMatch(
    /Result: 1 call would have failed .*move these programs to the new API before .*Earlier rehearsals .*: Sunset, 5 minutes\. \d+ calls failed/,
  );
  expect(await history()).toEqual([
    'rehearsal_started: the sunset',
    'rehearsal_started: the sunset',
    'rehearsal_stopped: the sunset',
  ]);
});

test('one that nothing called says that no call failed, and when to try again', async () => {
  await start('sunset');
  clock.set((await window()).endsAt + MINUTE);
  expect(wordsOf(await dana.get(page()))).toMatch(
    /Result: no call failed .*It is over; calls are answered as before\..*Your app did not call the old API .*rehearse again/,
  );
  await setDates({ retirement: clock.now() - 2 * DAY, sunset: clock.now() - 1 });
  const since = wordsOf(await dana.get(page()));
  expect(since).toMatch(
    /It is over\. The sunset itself has come since: .*every call to the old API is refused\./,
  );
  expect(since).not.toMatch(/answered as before|rehearse again/);
});

test('starting twice changes nothing, and the page shows the one that runs', async () => {
  const form = await dana.get(page());
  await start('retirement');
  const again = await pressIn(dana, form, START, { rehearses: 'sunset' });
  expect(again.status).toBe(409);
  expect(wordsOf(again)).toMatch(/Nothing was changed\. .*runs already.*Retirement: the rehearsal/);
  expect(again.headers.get('refresh')).toBeNull();
  expect(await rows()).toHaveLength(1);
});

test('while an announced outage runs none begins, unless the app is left out of it', async () => {
  const { durable } = system.bridge.context.store;
  const now = clock.now();
  const planned = { text: 'A test of the end.', planned_by: 'test', planned_at: now };
  const row = {
    id: `b${now}`,
    rehearses: 'sunset' as const,
    starts_at: now,
    ends_at: now + MINUTE,
    ...planned,
  };
  const form = await dana.get(page());
  await durable.insertInto('brownouts').values(row).execute();
  await system.bridge.context.lifecycle.refresh();
  await until(async () => (await statusOf(waiting)) === 410);
  const refused = await pressIn(dana, form, START, { rehearses: 'retirement' });
  expect(refused.status).toBe(409);
  expect(wordsOf(refused)).toMatch(/Nothing was changed\. .*short test outage \(brownout\)/);
  expect(await rows()).toEqual([]);
  const granted = { reason: 'A test', granted_by: 'test', granted_at: now };
  await durable
    .insertInto('brownout_exemptions')
    .values({ id: `x${now}`, client_id: app.clientId, until: now + DAY, ...granted })
    .execute();
  await system.bridge.context.lifecycle.refresh();
  await until(async () => (await statusOf(waiting)) === 200);
  expect((await start('retirement')).status).toBe(200);
  expect(await rows()).toHaveLength(1);
});

test('what is not ahead cannot be rehearsed; more time for the app counts', async () => {
  const form = await dana.get(page());
  await setDates({ retirement: clock.now() - DAY });
  const shown = await dana.get(page());
  expect(wordsOf(shown)).toContain('No date is ahead for this app, so there is nothing to rehearse.');
  for (const rehearses of ['retirement', 'sunset', 'deprecation', '']) {
    const refused = await pressIn(dana, form, START, { rehearses });
    expect(refused.status).toBe(409);
    expect(wordsOf(refused)).toContain('Nothing was changed.');
  }
  expect(await rows()).toEqual([]);
  const granted = { reason: 'A test', granted_by: 'test', granted_at: clock.now() };
  await system.bridge.context.store.durable
    .insertInto('extensions')
    .values({
      id: `e${clock.now()}`,
      client_id: app.clientId,
      name: 'retirement',
      until: clock.now() + DAY,
      ...granted,
    })
    .execute();
  await system.bridge.context.lifecycle.refresh();
  await until(async () => wordsOf(await dana.get(page())).includes('( tomorrow )'));
  await start('retirement');
  clock.set((await window()).startsAt);
  expect([await statusOf(waiting), await statusOf(neighbour)]).toEqual([401, 401]);
  const [mine, theirs] = [await call(waiting), await call(neighbour)];
  expect(mine.text).toContain('rehearses');
  expect(theirs.text).not.toContain('rehearses');
});

test('nobody but the owner reaches it, and no form from elsewhere', async () => {
  const field = dana.forms(await dana.get(page()))[0]?.fields[0]?.value ?? '';
  const samsField = sam.forms(await sam.get(`${system.bridgeUrl}/apps`))[0]?.fields[0]?.value ?? '';
  expect((await sam.get(page())).status).toBe(404);
  const nobody = new CookieWalker();
  expect((await nobody.get(page())).location).toBe(
    `/sign-in?return_to=${encodeURIComponent(new URL(page()).pathname)}`,
  );
  const own = { origin: system.bridgeUrl };
  const fields = { rehearses: 'sunset' };
  for (const address of [page(), `${page()}/stop`]) {
    expect((await sam.post(address, { ...fields, _form: samsField }, own)).status).toBe(404);
    expect((await sam.post(address, { ...fields, _form: field }, own)).status).toBe(403);
    expect((await nobody.post(address, { ...fields, _form: field }, own)).status).toBe(403);
    expect((await dana.post(address, fields, own)).status).toBe(403);
    const elsewhere = { origin: 'https://elsewhere.example' };
    expect((await dana.post(address, { ...fields, _form: field }, elsewhere)).status).toBe(403);
  }
  expect((await dana.get(`${page()}/stop`)).status).toBe(404);
  expect(await rows()).toEqual([]);
  expect((await dana.post(page(), { ...fields, _form: field }, own)).status).toBe(303);
  expect(await rows()).toHaveLength(1);
});
