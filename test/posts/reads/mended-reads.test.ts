import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { expectRefusal } from '../../endpoints/support/expectations.ts';
import { expectAlive, knock } from '../../endpoints/support/knock.ts';
import { type RawAnswer, rawForm } from '../../support/callers/raw-request.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { said } from '../support/bakery.ts';
import { numbersOf, serveLong } from '../support/long-list.ts';
import { connectReader, idsOf, isoIn, type Reader, CHANNEL } from '../support/reader.ts';

/** What reads of posts answer after refusals and writes, and deep in long lists. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const clock = new SettableClock();
let door: Door;
let reader: Reader;

beforeAll(async () => {
  door = await openDoor({ clock, accessTokenSeconds: 86_400 });
  reader = await connectReader(door);
  await reader.get('/1/profiles.json');
  for (let number = 0; number < 45; number += 1)
    await reader.create({ mode: 'customScheduled', dueAt: isoIn((400 * 24 + number) * HOUR) });
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

beforeEach(async () => {
  clock.advance(16 * MINUTE);
  await door.bridge.context.store.volatile.deleteFrom('post_answers').execute();
});

afterEach(() => {
  door.proxy.insteadOfOther = undefined;
});

const path = (call: string) => `/1/profiles/${CHANNEL}/updates/${call}`;

function post(address: string, fields: ReadonlyArray<[string, string]>, method = 'POST'): Promise<RawAnswer> {
  const form = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]));
  const headers = { authorization: `Bearer ${reader.token}` };
  return knock(door, { method, path: address, ...rawForm(form.toString(), headers) });
}

async function createUpdate(
  text: string,
): Promise<{ buffer_count?: number; updates: Array<{ id: string }> }> {
  const {
    status,
    json,
    text: body,
  } = await post('/1/updates/create.json', [
    ['profile_ids[]', CHANNEL],
    ['text', text],
  ]);
  if (status !== 200) throw new Error(body);
  clock.advance(1);
  return json as { buffer_count?: number; updates: Array<{ id: string }> };
}

const isRead = ({ body }: { body: string }) => /"query":"query Posts?\(/.test(body);

async function pendingCount(): Promise<number | undefined> {
  const { json } = await reader.get(`/1/profiles/${CHANNEL}.json`);
  return (json as { counts?: { pending?: number } }).counts?.pending;
}

const forbidden = said(200, {
  data: null,
  errors: [{ message: 'Not allowed', extensions: { code: 'FORBIDDEN' } }],
});

test('one post or one list that the new API keeps from the grant is not found, and no other consent is asked for', async () => {
  door.proxy.insteadOfOther = (call) => (isRead(call) ? forbidden : undefined);
  const one = await reader.get(`/1/updates/${'a'.repeat(24)}.json`);
  expectRefusal(one, 404, 1020);
  const list = await reader.get(path('pending.json'));
  expectRefusal(list, 404, 1010);
  for (const { json } of [one, list]) expect(json).not.toHaveProperty('reauthorize');
});

describe('parameters in a body', () => {
  test.each(['POST', 'GET'])('count as those of the address do (%s)', async (method) => {
    const whole = idsOf(await reader.list('pending.json?count=100'));
    const fields: Array<[string, string]> = [
      ['count', '5'],
      ['page', '2'],
    ];
    const answer = await post(path('pending.json?count=7'), fields, method);
    expect(idsOf(answer.json as never)).toEqual(whole.slice(5, 10));
    expectRefusal(await post(path('sent.json'), [['count', '0']], method), 400, 1006);
    expectRefusal(await post(`/1/updates/${whole[0]}.json`, [['utc', 'berlin']], method), 400, 1006);
  });

  test('may be JSON', async () => {
    const headers = { authorization: `Bearer ${reader.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ count: 5, utc: true });
    const { json } = await knock(door, { method: 'POST', path: path('pending.json'), headers, body });
    expect(idsOf(json as never)).toHaveLength(5);
  });
});

describe('numbers after own writes', () => {
  test('a new post counts once, before and after the first page is read again', async () => {
    const { total } = await reader.list('pending.json?count=100');
    const created = await createUpdate('One more');
    expect(created.buffer_count).toBe(total + 1);
    expect(await pendingCount()).toBe(total + 1);
    expect((await reader.list('pending.json')).total).toBe(total + 1);
    expect(await pendingCount()).toBe(total + 1);
    expect((await createUpdate('And one')).buffer_count).toBe(total + 2);
  });

  test.each(['destroy', 'share'])('a post that is gone from the queue is in no number (%s)', async (call) => {
    const { updates } = await createUpdate(`To be gone: ${call}`);
    const { total } = await reader.list('pending.json?count=100');
    const { status } = await post(`/1/updates/${updates[0]?.id}/${call}.json`, []);
    expect(status).toBe(200);
    clock.advance(1);
    expect(await pendingCount()).not.toBe(total);
    expect((await reader.list('pending.json')).total).toBeLessThan(total);
    expect((await reader.list('pending.json?count=100')).total).toBe(total - 1);
    expect(await pendingCount()).toBe(total - 1);
  });
});

describe('deep in a long list', () => {
  beforeEach(async () => {
    serveLong(door, 1000);
    for (let page = 1; page <= 7; page += 1) await reader.list(`sent.json?count=100&page=${page}`);
  });

  test('a write does not break the way to the next page', async () => {
    await createUpdate('In between');
    const asked = await reader.asked(async () => {
      expect(numbersOf(await reader.list('sent.json?count=100&page=8'))[0]).toBe(700);
    });
    expect(asked).toEqual(['posts']);
  });

  test('nor does another first page after it', async () => {
    await createUpdate('In between');
    await reader.list('sent.json');
    expect(numbersOf(await reader.list('sent.json?count=100&page=8'))[0]).toBe(700);
  });

  test('nor does a pause', async () => {
    clock.advance(30 * MINUTE);
    expect(numbersOf(await reader.list('sent.json?count=100&page=8'))[0]).toBe(700);
  });

  test('nor does a cursor that is refused', async () => {
    serveLong(door, 1000, { forgotten: 'c700' });
    expect(numbersOf(await reader.list('sent.json?count=100&page=8'))[0]).toBe(700);
  });

  test('a fault at the first page is no refused cursor, and the page is asked for once', async () => {
    clock.advance(2 * MINUTE);
    const errors = [{ message: 'It broke', extensions: { code: 'UNEXPECTED' } }];
    door.proxy.insteadOfOther = (call) => (isRead(call) ? said(200, { data: null, errors }) : undefined);
    const first = () => reader.get(path('sent.json?count=100'));
    expect(await reader.asked(first)).toEqual(['posts']);
  });
});

test('a page that comes in parts is whole, and no post is left out behind it', async () => {
  serveLong(door, 130, { most: 30 });
  const numbers: number[] = [];
  for (const page of [1, 2]) {
    const listed = await reader.list(`sent.json?count=100&page=${page}`);
    expect(listed.total).toBe(page === 1 ? 101 : 130);
    numbers.push(...numbersOf(listed));
  }
  expect(numbers).toEqual(Array.from({ length: 130 }, (_, number) => number));
});

test('the total of sent since a time counts nothing that is older', async () => {
  serveLong(door, 130);
  await reader.list('sent.json?count=100');
  await reader.list('sent.json?count=100&page=2');
  const since = 1_700_000_000 - 50;
  const totals = [];
  for (const page of [1, 2, 3, 4])
    totals.push((await reader.list(`sent.json?count=20&page=${page}&since=${since}`)).total);
  expect(totals).toEqual([50, 50, 50, 50]);
  await door.bridge.context.store.volatile.deleteFrom('post_answers').execute();
  for (const [time, total] of [
    [since, 50],
    [since - 100, 101],
  ])
    expect((await reader.list(`sent.json?count=1&since=${time}`)).total).toBe(total);
});

function away(): void {
  door.proxy.insteadOfOther = () => ({ status: 502, headers: {}, body: Buffer.from('') });
}

describe('while the new API is away', () => {
  test('a post that was seen to be gone stays gone', async () => {
    const { updates } = await createUpdate('Seen once');
    const address = `/1/updates/${updates[0]?.id}.json`;
    expect((await reader.get(address)).status).toBe(200);
    clock.advance(2 * MINUTE);
    const gone = said(200, { data: null, errors: [{ message: 'No', extensions: { code: 'NOT_FOUND' } }] });
    door.proxy.insteadOfOther = (call) => (isRead(call) ? gone : undefined);
    expectRefusal(await reader.get(address), 404, 1020);
    clock.advance(2 * MINUTE);
    away();
    expectRefusal(await reader.get(address), 404, 1020);
  });

  test('nothing is told as it was before an own write', async () => {
    const { updates } = await createUpdate('Before');
    const address = `/1/updates/${updates[0]?.id}.json`;
    await reader.get(address);
    await reader.list('pending.json');
    clock.advance(1);
    await createUpdate('Another');
    away();
    expectRefusal(await reader.get(address), 503, 1000);
    expectRefusal(await reader.get(path('pending.json')), 503, 1000);
  });
});

test('what is kept of one list is bounded in bytes, and its newest page is whole', async () => {
  serveLong(door, 200, { textLength: 30_000 });
  for (const page of [1, 2, 3])
    expect((await reader.list(`sent.json?page=${page}`)).updates).toHaveLength(20);
  const kept = await door.bridge.context.store.volatile.selectFrom('post_answers').select('body').execute();
  const sizes = kept.map(({ body }) => body.length);
  expect(Math.max(...sizes)).toBeLessThan(20 * 30_000 * 1.5);
});

test('reads that a pause keeps from being sent are not counted against the share of an app', async () => {
  let isLimited = false;
  const left = { ratelimit: '"100-in-15min";r=12;t=900', 'ratelimit-policy': '"100-in-15min";q=100;w=900' };
  door.proxy.onOtherAnswer = (_call, answer) =>
    isLimited
      ? said(429, {}, { 'retry-after': '60' })
      : { ...answer, headers: { ...answer.headers, ...left } };
  try {
    await reader.list('sent.json');
    isLimited = true;
    for (let number = 0; number < 40; number += 1)
      expectRefusal(await reader.get(path(`pending.json?since=${1_700_000_000 + number}`)), 503, 1000);
    isLimited = false;
    clock.advance(61_000);
    expect((await reader.get(path('pending.json?since=1600000000'))).status).toBe(200);
  } finally {
    door.proxy.onOtherAnswer = undefined;
  }
});
