import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { expectInvalidToken, expectRefusal } from '../../endpoints/support/expectations.ts';
import { expectAlive } from '../../endpoints/support/knock.ts';
import {
  connectReader,
  idsOf,
  isoIn,
  type Listed,
  PAGE,
  type Reader,
  CHANNEL,
  TWITTER,
} from '../support/reader.ts';

/** The two lists of a profile, answered by the new API. */

const HOUR = 3_600_000;

let door: Door;
let reader: Reader;

beforeAll(async () => {
  door = await openDoor({ env: { PROFILES_FRESH_SECONDS: '0' } });
  reader = await connectReader(door);
  for (let day = 3; day > 0; day -= 1)
    await reader.create({ mode: 'customScheduled', dueAt: isoIn(day * 24 * HOUR) });
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const hex = expect.stringMatching(/^[0-9a-f]{24}$/);
const seconds = expect.any(Number);

const everyUpdate = {
  _id: hex,
  id: hex,
  created_at: seconds,
  updated_at: seconds,
  day: expect.any(String),
  due_at: seconds,
  due_time: expect.stringMatching(/^1?\d:[0-5]\d [ap]m$/),
  profile_id: CHANNEL,
  profile_service: 'threads',
  shared_now: expect.any(Boolean),
  text: expect.any(String),
  text_formatted: expect.any(String),
  type: expect.stringMatching(/^(text|link|picture|video)$/),
  via: expect.stringMatching(/^(api|buffer|network)$/),
};

/** What is in every update is right, and all that is in some of them is known. */
function expectUpdates({ updates }: Listed, more: object): void {
  for (const update of updates) {
    expect(update).toMatchObject({ ...everyUpdate, ...more });
    const known = new Set([...Object.keys(everyUpdate), ...Object.keys(more)]);
    const others = Object.keys(update).filter((name) => !known.has(name));
    expect(['media', 'extra_media', 'scheduled_at', 'service_link', 'user_id', 'status']).toEqual(
      expect.arrayContaining(others),
    );
    for (const [name, value] of Object.entries(update))
      if (name.endsWith('_at')) expect(Number.isInteger(value)).toBe(true);
  }
}

test('pending is what is in the buffer, the next one first, with its exact total', async () => {
  const listed = await reader.list('pending.json');
  expectUpdates(listed, { status: 'buffer' });
  expect(listed.total).toBe(listed.updates.length);
  expect(listed.total).toBeGreaterThan(0);
  const times = listed.updates.map(({ due_at }) => due_at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('sent is what was sent, the last one first, with the time of sending', async () => {
  const listed = await reader.list('sent.json');
  expectUpdates(listed, { status: 'sent', sent_at: seconds, statistics: {} });
  expect(listed.total).toBe(listed.updates.length);
  const times = listed.updates.map(({ sent_at }) => sent_at ?? 0);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test('a sent post has the address that the network gave it, in a list and by its id', async () => {
  const [first] = (await reader.list('sent.json', TWITTER)).updates;
  const service_link = `https://twitter.example/danasbakery/posts/${first?.id}`;
  expect(first).toMatchObject({ service_link });
  expect((await reader.get(`/1/updates/${first?.id}.json`)).json).toMatchObject({ service_link });
});

test('a post that could not be sent stands in the buffer as an error, and drafts stand in no list', async () => {
  const pages = await reader.list('pending.json?count=100', PAGE);
  const sent = await reader.list('sent.json?count=100', PAGE);
  expect(pages.updates.map(({ status }) => status)).toContain('error');
  const statuses = [...pages.updates, ...sent.updates].map(({ status }) => status);
  expect(['buffer', 'error', 'sent']).toEqual(expect.arrayContaining(statuses));
});

const weekdayOf = (day: string) =>
  new Date(day).toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });

test('with utc times are told in UTC, without it in the zone of the profile', async () => {
  const year = new Date().getUTCFullYear() + 1;
  const id = await reader.create({ mode: 'customScheduled', dueAt: `${year}-07-01T22:30:00.000Z` });
  const find = ({ updates }: Listed) => updates.find((update) => update.id === id);
  const local = find(await reader.list('pending.json?count=100'));
  expect(local).toMatchObject({ day: `${weekdayOf(`${year}-07-02`)} 2nd July`, due_time: '12:30 am' });
  for (const flag of ['true', '1', 'TRUE', 'yes'])
    expect(find(await reader.list(`pending.json?count=100&utc=${flag}`))).toMatchObject({
      day: `${weekdayOf(`${year}-07-01`)} 1st July`,
      due_time: '10:30 pm',
    });
  expect(find(await reader.list('pending.json?count=100&utc=false'))).toEqual(local);
});

describe('pages', () => {
  let made: string[];

  beforeAll(async () => {
    made = [];
    for (let number = 0; number < 45; number += 1) {
      const dueAt = isoIn(400 * 24 * HOUR + number * HOUR);
      made.push(await reader.create({ mode: 'customScheduled', dueAt, text: `Post ${number}` }));
    }
  });

  const isMade = (id: string) => made.includes(id);

  test.each([7, 10, 20, 100])(
    'of %s posts give each post once, in order, and an exact total at the end',
    async (count) => {
      const ids: string[] = [];
      let total = Number.POSITIVE_INFINITY;
      for (let page = 1; ids.length < total; page += 1) {
        const listed = await reader.list(`pending.json?count=${count}&page=${page}`);
        expect(listed.total).toBeGreaterThanOrEqual(ids.length + listed.updates.length);
        expect(listed.updates.length).toBe(Math.min(count, listed.total - ids.length));
        ids.push(...idsOf(listed));
        ({ total } = listed);
      }
      expect(ids.filter(isMade)).toEqual(made);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test('a page behind the end is empty and says how many there are', async () => {
    const { total } = await reader.list('pending.json?count=100');
    expect(await reader.list('pending.json?count=100&page=3')).toEqual({ total, updates: [] });
  });

  test('a page of its own is the same as the one that was reached step by step', async () => {
    const whole = idsOf(await reader.list('pending.json?count=100'));
    const other = await connectReader(door);
    expect(idsOf(await other.list('pending.json?count=10&page=4'))).toEqual(whole.slice(30, 40));
    expect(idsOf(await other.list('pending.json?count=30&page=2'))).toEqual(whole.slice(30, 60));
  });

  test('a page far behind the end is empty too, where nothing is known of the list', async () => {
    const { total } = await reader.list('pending.json?count=100');
    const other = await connectReader(door);
    expect(await other.list('pending.json?count=100&page=90')).toEqual({ total, updates: [] });
  });

  test('since leaves out what was made before, and the total counts what is left', async () => {
    const last = Math.floor(Date.now() / 1000);
    const later = Math.max(last, ...(await reader.list('pending.json?count=100')).updates.map(createdAt));
    await waitUntilAfter(later);
    const id = await reader.create({ mode: 'customScheduled', dueAt: isoIn(390 * 24 * HOUR) });
    expect(await reader.list(`pending.json?since=${later}`)).toMatchObject({ total: 1, updates: [{ id }] });
    expect(await reader.list('pending.json?since=0')).toEqual(await reader.list('pending.json'));
  });
});

const createdAt = (update: object) => (update as { created_at: number }).created_at;

/** Until the clock of the new API says a later second than this one. */
async function waitUntilAfter(second: number): Promise<void> {
  while (Date.now() < (second + 1) * 1000) await new Promise((done) => setTimeout(done, 20));
}

test('since on sent goes by the time of sending, whenever a post was made', async () => {
  const before = (await reader.list('sent.json?count=100')).updates;
  const later = Math.max(Math.floor(Date.now() / 1000), ...before.map(({ sent_at }) => sent_at ?? 0));
  await waitUntilAfter(later);
  const id = await reader.create({ mode: 'shareNow' });
  expect(await reader.list(`sent.json?since=${later}`)).toMatchObject({ total: 1, updates: [{ id }] });
  const [, second] = (await reader.list('sent.json')).updates;
  const some = await reader.list(`sent.json?since=${(second?.sent_at ?? 0) - 1}`);
  expect(some.total).toBe(some.updates.length);
  expect(some.updates.every(({ sent_at = 0 }) => sent_at >= (second?.sent_at ?? 0))).toBe(true);
  expect(await reader.list(`sent.json?since=${later + 1000}`)).toEqual({ total: 0, updates: [] });
});

test.each([
  '1798761600',
  '1798761600.75',
  '2027-01-01',
  '2027-01-01T00:00',
  '2027-01-01T00:00:00.000Z',
  '2027-01-01%2000:00:00',
  '2027-01-01%2000:00:00%20UTC',
  '2027-01-01%2002:00:00%20%2B0200',
  '2027-01-01T02:00:00%2B02:00',
  '2027-01-01T02:00:00+02:00',
])('since=%s is the same time', async (since) => {
  const asked = await reader.asked(() => reader.list(`pending.json?since=${since}`));
  expect(asked).toContain('posts');
  const { body } = door.proxy.readings().findLast((reading) => reading.body.includes('createdAt":{')) ?? {};
  expect(body).toContain('"createdAt":{"start":"2027-01-01T00:00:01.000Z"}');
});

test('filter takes both values of the old API', async () => {
  const sent = await reader.list('sent.json');
  expect(await reader.list('sent.json?filter=all')).toEqual(sent);
  expect(await reader.list('sent.json?filter=default')).toEqual(sent);
});

describe('bad input', () => {
  test.each([
    ['count', 'count=0'],
    ['count', 'count=101'],
    ['count', 'count=x'],
    ['count', 'count=-1'],
    ['count', 'count=1.5'],
    ['count', 'count=5&count=6'],
    ['count', 'count[]=5'],
    ['page', 'page=x'],
    ['page', 'page=-1'],
    ['page', 'page=99999999999999999999'],
    ['since', 'since=yesterday'],
    ['since', 'since=2026-13-01'],
    ['since', 'since=2026-01-01T25:00'],
    ['since', 'since=9999-01-01'],
    ['since', 'since=1000-01-01'],
    ['since', 'since=1790000000000'],
    ['since', 'since=1798761600.'],
    ['utc', 'utc=berlin'],
    ['filter', 'filter=mine'],
  ])('an unreadable %s is named (%s)', async (name, query) => {
    for (const list of ['pending', 'sent']) {
      const answer = await reader.get(`/1/profiles/${CHANNEL}/updates/${list}.json?${query}`);
      expectRefusal(answer, 400, 1006);
      expect(answer.json).toMatchObject({ error: expect.stringContaining(name) });
    }
  });

  test.each(['page=0', 'page=', 'count=', 'pretty=true&_=17&callback=x', 'since='])(
    '%s is the first page',
    async (query) => {
      expect(await reader.list(`pending.json?${query}`)).toEqual(await reader.list('pending.json'));
    },
  );

  test.each(['0'.repeat(24), 'x', '%2e%2e', '5e1f0c9a7b3d4e2f8a6c3d08'])(
    'profile %s, which the account does not reach, is not found',
    async (id) => {
      for (const list of ['pending', 'sent'])
        expectRefusal(await reader.get(`/1/profiles/${id}/updates/${list}.json`), 404, 1010);
    },
  );

  test('a token that was revoked is the recorded 401', async () => {
    const other = await connectReader(door);
    await other.list('pending.json');
    expect((await other.get('/1/user/deauthorize.json')).status).toBe(200);
    expectInvalidToken(await other.get(`/1/profiles/${CHANNEL}/updates/pending.json`));
  });
});

test('the suffix may be missing, and POST reads as GET does', async () => {
  const { text } = await reader.get(`/1/profiles/${CHANNEL}/updates/pending.json`);
  expect((await reader.get(`/1/profiles/${CHANNEL}/updates/pending`)).text).toBe(text);
});
