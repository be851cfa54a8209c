import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createConcurrencyLimit, NoFreePlace, type Takers } from '../../src/upstream/concurrency-limit.ts';
import { openConnection } from '../../src/upstream/connection.ts';
import { createSlots } from '../../src/upstream/token-endpoint-limit.ts';

/** Concurrent calls to the old API, by who makes them: nobody is kept out by somebody else's long calls. */

const PATIENCE = 60_000;

/** Every call that has a place, of all rooms of one test. */
const holding: Array<() => void> = [];

function openRoom(room: Partial<Parameters<typeof createConcurrencyLimit>[0]> = {}) {
  const inPlace = createConcurrencyLimit({ places: 16, patience: PATIENCE, ...room });
  const inside: Array<{ takers: Takers; end: () => void }> = [];
  const begin = (takers: Takers) => inPlace(() => new Promise<void>((end) => hold(takers, end)), takers);
  function hold(takers: Takers, end: () => void): void {
    inside.push({ takers, end });
    holding.push(end);
  }
  const insideOf = (taker: string) => inside.filter(({ takers }) => takers.includes(taker)).length;
  return { begin, inside, insideOf };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Whoever still waits gets a place and gives it back: a call that gave up later would fail in another file. */
afterEach(async () => {
  while (holding.length > 0) {
    for (const end of holding.splice(0)) end();
    await settled();
  }
});

test('apps that fill all the places that they can get leave one for the next app', async () => {
  const { begin, inside, insideOf } = openRoom();
  for (const app of ['a', 'b', 'c', 'd']) {
    for (let n = 0; n < 20; n++) void begin([app, `account of ${app}`]);
    await settled();
    expect(insideOf(app)).toBeGreaterThan(0);
  }
  expect(insideOf('a')).toBe(8);
  expect(inside).toHaveLength(15);
});

test('who comes to a queue that stands gives up sooner, and is not served before who waits already', async () => {
  const standing = { after: 20, patience: 5000 };
  const { begin, inside } = openRoom({ places: 1, standing });
  void begin(['a', 'inside']);
  void begin(['a', 'first']);
  await delay(60);
  void begin(['a', 'later']);
  inside[0]?.end();
  await settled();
  expect(inside.map(({ takers }) => takers.at(-1))).toEqual(['inside', 'first']);
});

test('one account may take all places that are free but those of the reserve', async () => {
  const { begin, insideOf } = openRoom({ reserve: { places: 8, most: 2 } });
  for (let n = 0; n < 30; n++) void begin(['a', 'one']);
  await settled();
  expect(insideOf('one')).toBe(16 + 2);
  for (const takers of [
    ['a', 'other'],
    ['b', 'third'],
  ])
    void begin(takers);
  await settled();
  expect([insideOf('other'), insideOf('third')]).toEqual([1, 1]);
});

test('one account that waits with many calls leaves turns for others', async () => {
  const { begin, inside } = openRoom({ places: 1, reserve: { places: 1, most: 1 } });
  const refused: unknown[] = [];
  for (let n = 0; n < 40; n++) begin(['a', 'one']).catch((error: unknown) => refused.push(error));
  void begin(['b', 'other']);
  await settled();
  expect(refused.length).toBeGreaterThan(0);
  inside[0]?.end();
  await settled();
  expect(inside.at(-1)?.takers).toContain('other');
});

test('one app that waits with the calls of many accounts leaves turns for others', async () => {
  const { begin } = openRoom({ places: 2 });
  const refused: string[] = [];
  const ask = (app: string, account: string) => begin([app, account]).catch(() => refused.push(app));
  for (let n = 0; n < 40; n++) void ask('a', `account ${n}`);
  for (const app of ['b', 'c']) void ask(app, `account of ${app}`);
  await settled();
  expect(refused).toContain('a');
  expect(refused).not.toContain('c');
});

test('a place that becomes free goes to the app that has the fewest', async () => {
  const { begin, inside } = openRoom({ places: 4 });
  for (const app of ['a', 'b', 'c']) for (let n = 0; n < 4; n++) void begin([app, `account of ${app}`]);
  void begin(['d', 'account of d']);
  await settled();
  expect(inside.map(({ takers }) => takers[0])).toEqual(['a', 'a', 'b', 'c']);
  inside[0]?.end();
  await settled();
  expect(inside.slice(4).map(({ takers }) => takers[0])).toEqual(['d']);
});

test('among equals a place goes to the one that gives up first', async () => {
  const inPlace = createConcurrencyLimit({ places: 1, patience: 10_000 });
  let leave: (() => void) | undefined;
  const held = inPlace(() => new Promise<void>((resolve) => (leave = resolve)));
  const order: string[] = [];
  const patient = inPlace(async () => void order.push('patient'));
  const hurried = inPlace(async () => void order.push('hurried'), [], 5000);
  await delay(10);
  leave?.();
  await Promise.all([held, patient, hurried]);
  expect(order).toEqual(['hurried', 'patient']);
});

test('who gets no place in time is told when to come again, and so is one too many that waits', async () => {
  const short = openRoom({ places: 1, patience: 20 });
  void short.begin([]);
  await settled();
  const refused = { name: 'Unavailable', retryAfter: 20 };
  await expect(short.begin([])).rejects.toMatchObject(refused);
  const full = openRoom({ places: 1 });
  for (let n = 0; n < 9; n++) void full.begin([]);
  await expect(full.begin([])).rejects.toMatchObject({ name: 'Unavailable' });
});

const STANDING = { places: 1, patience: 500, standing: { after: 400, patience: 20 } };

/** One call holds the place, another waits for so long; then nobody holds it or waits. Whether the other gave up. */
async function givesUpWithin(
  { begin, inside }: ReturnType<typeof openRoom>,
  milliseconds: number,
): Promise<boolean> {
  void begin([]);
  const second = begin([]).then(
    () => false,
    () => true,
  );
  const gaveUp = await Promise.race([second, delay(milliseconds, false)]);
  while (inside.length > 0) inside.pop()?.end();
  await settled();
  while (inside.length > 0) inside.pop()?.end();
  await second;
  return gaveUp;
}

test('a queue that is empty for moments only goes on where somebody gave up: who comes then waits for a short time', async () => {
  const room = openRoom(STANDING);
  expect(await givesUpWithin(room, 1000)).toBe(true);
  await delay(150);
  expect(await givesUpWithin(room, 300)).toBe(true);
  await delay(500);
  expect(await givesUpWithin(room, 100)).toBe(false);
});

test('bursts in which everybody gets a place are no queue that goes on', async () => {
  const room = openRoom(STANDING);
  for (let n = 0; n < 10; n += 1) expect(await givesUpWithin(room, 100)).toBe(false);
});

test('a slot goes to the first who still waits, and only then to those whose callers have gone', async () => {
  const takeSlot = createSlots(1);
  const giveBack = await takeSlot();
  const order: string[] = [];
  const gone = new Set<string>();
  const wait = async (name: string) => {
    const giveItBack = await takeSlot(() => !gone.has(name));
    order.push(name);
    giveItBack();
    giveItBack();
  };
  const waiting = ['early', 'first', 'second', 'left'].map(wait);
  gone.add('early').add('left');
  giveBack();
  await Promise.all(waiting);
  expect(order).toEqual(['first', 'second', 'early', 'left']);
});

const waits = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, 'waits').unref());

test('a burst waits as long as it may; where somebody waits all the time, further calls fail soon', async () => {
  const { begin } = openRoom({ places: 1, patience: PATIENCE, standing: { after: 50, patience: 20 } });
  void begin(['a', '1']);
  await expect(Promise.race([begin(['b', '2']), waits(100)])).resolves.toBe('waits');
  await expect(Promise.race([begin(['c', '3']), waits(10_000)])).rejects.toThrow(NoFreePlace);
});

test('only so many calls wait; the next fails at once', async () => {
  const { begin } = openRoom({ places: 1, waiting: 3 });
  void begin(['a', '1']);
  for (const app of ['b', 'c', 'd']) void begin([app]);
  await expect(begin(['e'])).rejects.toThrow(NoFreePlace);
});

describe('before an exchange or a refresh', () => {
  const HELD = 200;
  let server: Server;

  beforeAll(async () => {
    server = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());

  test('the wait for a place is told, and then the time until the connection is open', async () => {
    const take = createSlots(1);
    const giveBack = await take();
    const told: Array<[string, number]> = [];
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const opening = openConnection(url, { take, noteWait: (...one) => void told.push(one) });
    await delay(HELD);
    expect(told).toEqual([]);
    giveBack();
    (await opening).reset();
    expect(told.map(([awaited]) => awaited)).toEqual(['place', 'connection']);
    expect(told[0]?.[1]).toBeGreaterThan(HELD * 0.9);
  });

  test('a connection that does not come about is timed too', async () => {
    const told: string[] = [];
    const opening = openConnection('http://127.0.0.1:9', { noteWait: (awaited) => void told.push(awaited) });
    await expect(opening).rejects.toThrow('no connection to the new API');
    expect(told).toEqual(['place', 'connection']);
  });
});
