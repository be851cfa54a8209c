import { newHexId } from '../../src/shared/ids.ts';
import { clearShadow, describeShadow } from '../../src/domain/shadow.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { knock } from '../endpoints/support/knock.ts';
import { CHANNEL, connectReader, isoIn, type Reader } from '../posts/support/reader.ts';
import type { Answer } from '../support/forward.ts';
import { until } from '../support/held-answer.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/old-backend.ts';
import { rawForm } from '../support/raw-request.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { mappingOf } from '../support/waiting-token.ts';

/** LEGACY_SHADOW: of the reads that the old API answers connected tokens, a share is asked of the new API too. */

const DAY = 86_400_000;
const PENDING = `/1/profiles/${CHANNEL}/updates/pending.json`;
const LIST = '/1/profiles/:id/updates/pending.json';

const clock = new SettableClock();
const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [], updates: [] };
let old: OldBackend;
let door: Door;
let reader: Reader;

const volatile = () => door.bridge.context.store.volatile;
const counted = () => describeShadow(door.bridge.context);

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  const env = { LEGACY_BACKEND_URL: old.url, LEGACY_SHADOW: 'on', PROFILES_FRESH_SECONDS: '0' };
  door = await openDoor({ clock, accessTokenSeconds: 400 * 86_400, env });
  reader = await connectReader(door);
  const profiles = (await reader.get('/1/profiles.json')).json as NonNullable<OldAccount['profiles']>;
  account.profiles = profiles;
  account.tokens.push(reader.token);
  const { id } = (await mappingOf(door.bridge, reader.token))!;
  await door.bridge.context.store.durable
    .updateTable('mappings')
    .set({ source: 'imported' })
    .where('id', '=', id)
    .execute();
});

afterAll(async () => {
  await door.stop();
  await old.close();
});

const headersOf = (windows: ReadonlyArray<[left: number, quota: number, seconds: number]>) => ({
  ratelimit: windows.map(([left, , seconds]) => `"w${seconds}";r=${left};t=${seconds}`).join(', '),
  'ratelimit-policy': windows.map(([, quota, seconds]) => `"w${seconds}";q=${quota};w=${seconds}`).join(', '),
});

/** The new API says from now on that so much is left, and the bridge has heard so. */
async function leave(...windows: Array<[left: number, quota: number, seconds: number]>): Promise<void> {
  door.proxy.onOtherAnswer = (_call, answer: Answer) => ({
    ...answer,
    headers: { ...answer.headers, ...headersOf(windows) },
  });
  await reader.get('/1/profiles.json');
  await door.bridge.untilShared();
}

beforeEach(async () => {
  // Comparisons of the test before have ended.
  clock.advance(2 * DAY);
  account.updates = [];
  await volatile().deleteFrom('shadow_requests').execute();
  await volatile().deleteFrom('post_answers').execute();
  await leave([100_000, 100_000, 900]);
  await clearShadow(door.bridge.context);
});

async function passMany(times: number, path = PENDING): Promise<void> {
  for (let call = 0; call < times; call += 1) expect((await reader.get(path)).status).toBe(200);
}

/** Reads until this many were compared, or could not be. */
async function readUntil(path: string, isEnough: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    await passMany(5, path);
    return isEnough();
  });
}

const isCompared = async () => (await counted()).compared > 0;

async function differencesAt(endpoint: string): Promise<string[]> {
  const { differences } = await counted();
  return differences
    .filter((row) => row.endpoint === endpoint)
    .map(({ field, difference }) => `${field} ${difference}`)
    .toSorted();
}

let made = 0;

/** A post, and what the old API shows of it, as a test of differences needs it. */
async function postAndOld(id: string) {
  made += 1;
  const dueAt = isoIn((300 + made) * DAY);
  const text = `A private text ${id}`;
  const postId = await reader.create({ mode: 'customScheduled', dueAt, text });
  const due = Math.floor(Date.parse(dueAt) / 1000);
  return { postId, update: { id, profile_id: CHANNEL, status: 'buffer', text, due_at: due } };
}

test('a list is compared by its fields, with no value, whatever the ids', async () => {
  const { update } = await postAndOld(newHexId());
  account.updates = [{ ...update, service_update_id: '1' } as typeof update];
  await readUntil(PENDING, isFound(LIST, 'updates[].id value'));
  const found = await differencesAt(LIST);
  expect(found).toEqual(
    expect.arrayContaining(['updates[].id value', 'updates[].service_update_id missing']),
  );
  expect(found).not.toContain('updates[].text value');
  expect(found).not.toContain('updates[].due_at value');
  expect(JSON.stringify(await counted())).not.toContain('private');
});

const isFound = (endpoint: string, difference: string) => async () =>
  (await differencesAt(endpoint)).includes(difference);

test('one update and the posting times are compared', async () => {
  const { postId, update } = await postAndOld(newHexId());
  const there = { ...update, id: postId, text: 'Another private text' };
  const onlyThere = { ...update, id: newHexId(), text: 'Only there' };
  account.updates = [there, onlyThere];
  const one = '/1/updates/:id.json';
  await readUntil(`/1/updates/${there.id}.json`, isFound(one, 'update.text value'));
  await readUntil(`/1/updates/${onlyThere.id}.json`, isFound(one, 'update missing'));
  const path = `/1/profiles/${CHANNEL}/schedules.json`;
  const body = '{"no":"list"}';
  await old.setBehaviour({ status: 200, headers: ['Content-Type', 'application/json'], body, path });
  await readUntil(path, isFound('/1/profiles/:id/schedules.json', 'schedules type'));
  await old.setBehaviour('normal');
});

test('a comparison tells nobody an id', async () => {
  const { update } = await postAndOld(newHexId());
  account.updates = [update];
  await readUntil(PENDING, isCompared);
  expect(await door.bridge.context.store.durable.selectFrom('told_posts').selectAll().execute()).toEqual([]);
});

test('the new API is away: no caller notices, and it is counted', async () => {
  door.proxy.onOtherAnswer = () => ({ status: 502, headers: {}, body: Buffer.from('') });
  await readUntil(PENDING, async () => (await counted()).notAnswered > 0);
});

test('no call that writes is compared, nor a further page', async () => {
  const asked = await reader.asked(async () => {
    for (let call = 0; call < 60; call += 1) {
      const form = rawForm('text=x', { authorization: `Bearer ${reader.token}` });
      await knock(door, { method: 'POST', path: '/1/updates/create.json', ...form });
      await knock(door, { method: 'POST', path: PENDING, ...form });
      await reader.get(`${PENDING}?page=2`);
    }
  });
  expect(asked).toEqual([]);
  expect(old.seen('POST', '/1/updates/create.json').length).toBeGreaterThanOrEqual(60);
});

test('no read with a body is compared, which may name a further page', async () => {
  const headers = { authorization: `Bearer ${reader.token}` };
  const bodies = [
    rawForm('page=6&count=100', headers),
    { headers: { ...headers, 'content-type': 'application/json' }, body: '{"page":"6"}' },
    { headers: { ...headers, 'content-type': 'text/plain' }, body: 'page=6' },
  ];
  const asked = await reader.asked(async () => {
    for (let call = 0; call < 60; call += 1)
      for (const content of bodies) await knock(door, { path: PENDING, ...content });
  });
  expect(asked).toEqual([]);
  expect(await volatile().selectFrom('shadow_requests').selectAll().execute()).toEqual([]);
});

/** How many requests comparisons cost while many reads passed; those that run have ended. */
async function cost(): Promise<number> {
  const asked = await reader.asked(async () => {
    await passMany(400);
    const { flights } = door.bridge.context;
    for (const place of [0, 1]) await flights.run(`shadow of a passed read ${place}`, async () => undefined);
  });
  return asked.length;
}

test.each<[string, Array<[number, number, number]>, number, number]>([
  ['below three tenths nothing is compared', [[29_000, 100_000, 900]], 0, 0],
  [
    'one window below three tenths is enough',
    [
      [90_000, 90_000, 900],
      [29_999, 100_000, 86_400],
    ],
    0,
    0,
  ],
  ['of a hundred five at most', [[100, 100, 900]], 1, 5],
  ['of three hundred of a thousand fifteen at most', [[300, 1000, 900]], 1, 15],
  [
    'the window with the fewest counts',
    [
      [50_000, 100_000, 900],
      [100, 100, 86_400],
    ],
    1,
    5,
  ],
])('%s', async (_what, windows, least, most) => {
  await leave(...windows);
  const first = await cost();
  expect(first).toBeGreaterThanOrEqual(least);
  // Two windows of the count may stand in one of the budget.
  clock.advance(DAY + 1000);
  await leave(...windows);
  expect(first + (await cost())).toBeLessThanOrEqual(most);
});

test('a pause is kept', async () => {
  door.proxy.onOtherAnswer = (_call, answer: Answer) => ({ ...answer, headers: headersOf([[0, 100, 900]]) });
  await reader.get('/1/profiles.json');
  await door.bridge.untilShared();
  expect(await reader.asked(() => passMany(100))).toEqual([]);
});
