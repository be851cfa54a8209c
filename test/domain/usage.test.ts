import { callsOf, endpointsElsewhere, endpointsPassed } from '../../src/domain/usage/calls-of.ts';
import { type Call, createUsageLog, type UsageLog, usageOf } from '../../src/domain/usage/usage.ts';
import { createLogger, type Logger } from '../../src/shared/log/logger.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../store/support/stores.ts';
import { until } from '../support/servers/held-answer.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { openStoreBreaker, type StoreBreaker } from '../support/database/store-breaker.ts';

/** What tokens are used for, added up in memory and written in batches by two processes on one database. */

const START = Date.parse('2026-03-01T23:00:00Z');
const HOUR = 3_600_000;

/** Fewer than the names that a token may have on a day. */
const NUMBERS = Array.from({ length: 19 }, (_, index) => index);

const CALL: Call = {
  mappingId: 'm1',
  endpoint: '/1/profiles.json',
  carrier: 'header',
  userAgent: 'node-buffer/1.0',
  status: 200,
};

describe.each(databaseKinds)('on %s', (kind) => {
  const clock = new SettableClock();
  let stores: TwoStores;
  let breaker: StoreBreaker;
  let one: UsageLog;
  let two: UsageLog;
  let log: () => string[];
  let logger: Logger;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    breaker = await openStoreBreaker(stores.location);
  });
  afterAll(async () => {
    await breaker.close();
    await stores.close();
  });

  beforeEach(async () => {
    await stores.one.volatile.deleteFrom('usage').execute();
    clock.set(START);
    const { stream, lines } = logLines();
    log = lines;
    logger = createLogger({ level: 'warn', name: 'test', stream });
    one = createUsageLog({ store: stores.one, clock, logger });
    two = createUsageLog({ store: stores.two, clock, logger });
  });
  afterEach(async () => {
    await one.close();
    await two.close();
  });

  const rows = () =>
    stores.one.volatile.selectFrom('usage').selectAll().orderBy('mapping_id').orderBy('day').execute();

  const total = async () => {
    const { calls } = await stores.one.volatile
      .selectFrom('usage')
      .select((eb) => eb.fn.sum<number | string>('calls').as('calls'))
      .executeTakeFirstOrThrow();
    return Number(calls);
  };

  const column = async (name: 'outcome' | 'user_agent' | 'endpoint' | 'carrier') =>
    (await rows()).map((row) => row[name]).toSorted();

  test('a token with very many kinds of calls has each of them counted, also those that come during a write', async () => {
    const calls = NUMBERS.flatMap((endpoint) =>
      NUMBERS.flatMap((agent) =>
        (['header', 'query', 'body'] as const).map((carrier) => ({
          ...CALL,
          carrier,
          endpoint: `/1/path-${String.fromCodePoint(97 + endpoint)}.json`,
          userAgent: `agent-${String.fromCodePoint(97 + agent)}`,
        })),
      ),
    );
    for (const call of [...calls, ...calls]) one.note(call);
    const writing = one.flush();
    for (const call of calls) one.note(call);
    await writing;
    await one.flush();
    await one.flush();
    const found = await rows();
    expect([found.length, new Set(found.map((row) => row.calls))]).toEqual([calls.length, new Set([3])]);
  });

  test('calls are added up by day, endpoint, carrier, user agent and outcome, in every process', async () => {
    for (const usage of [one, one, two]) usage.note(CALL);
    one.note({ ...CALL, carrier: 'query' });
    expect(await rows()).toEqual([]);
    await one.flush();
    clock.advance(2 * HOUR);
    one.note(CALL);
    // What another process noted before is written after.
    await one.flush();
    await two.flush();
    const row = {
      mapping_id: 'm1',
      day: '2026-03-01',
      endpoint: '/1/profiles.json',
      carrier: 'header',
      user_agent: 'node-buffer/1.0',
      outcome: 'ok',
      calls: 3,
      last_at: START,
    };
    const byCarrier = (await rows()).toSorted((a, b) => a.carrier.localeCompare(b.carrier));
    expect(byCarrier).toEqual([
      row,
      { ...row, day: '2026-03-02', calls: 1, last_at: START + 2 * HOUR },
      { ...row, carrier: 'query', calls: 1 },
    ]);
  });

  test('the last call is the latest one, whichever process writes last', async () => {
    two.note(CALL);
    clock.advance(1000);
    one.note(CALL);
    await one.flush();
    await two.flush();
    expect(await rows()).toMatchObject([{ calls: 2, last_at: START + 1000 }]);
  });

  test('the outcome is told from the status', async () => {
    for (const status of [200, 302, 400, 401, 403, 404, 410, 429, 500, 503]) one.note({ ...CALL, status });
    await one.flush();
    expect((await rows()).map(({ outcome, calls }) => `${outcome} ${calls}`).toSorted()).toEqual([
      'failed 2',
      'limited 1',
      'ok 2',
      'other 2',
      'refused 3',
    ]);
  });

  test('what callers choose is cut to size and holds no token and no id', async () => {
    const token = `1/${'0a'.repeat(16)}`;
    one.note({ ...CALL, userAgent: `agent\u0007 é ${'x'.repeat(300)}`, endpoint: `/1/${token}.json` });
    one.note({ ...CALL, userAgent: `agent (${token})`, endpoint: `/1/profiles/${'4'.repeat(24)}.json` });
    one.note({ ...CALL, userAgent: undefined, endpoint: '/1/updates/12345/share.json' });
    await one.flush();
    expect(await column('endpoint')).toEqual([
      '/1/1/:id.json',
      '/1/profiles/:id.json',
      '/1/updates/:id/share.json',
    ]);
    const agents = await column('user_agent');
    expect(agents).toEqual(['agent  [redacted]', 'agent ([redacted])', 'none']);
    one.note({ ...CALL, userAgent: 'a word '.repeat(40) });
    await one.flush();
    expect(Math.max(...(await column('user_agent')).map(({ length }) => length))).toBe(80);
  });

  test('a token has twenty user agents and twenty endpoints a day, and further ones are one more', async () => {
    for (let n = 0; n < 30; n += 1) {
      one.note({ ...CALL, userAgent: `agent ${n}` });
      one.note({ ...CALL, mappingId: 'm2', endpoint: `/1/path-${n}.json` });
    }
    one.note({ ...CALL, userAgent: 'agent 3' });
    clock.advance(24 * HOUR);
    one.note({ ...CALL, userAgent: 'agent 29' });
    await one.flush();
    const written = await rows();
    const [first, second] = ['m1', 'm2'].map((id) => written.filter(({ mapping_id }) => mapping_id === id));
    const today = first?.filter(({ day }) => day === '2026-03-01') ?? [];
    expect([today.length, second?.length]).toEqual([21, 21]);
    expect(today.find(({ user_agent }) => user_agent === 'other')?.calls).toBe(10);
    expect(today.find(({ user_agent }) => user_agent === 'agent 3')?.calls).toBe(2);
    expect(second?.find(({ endpoint }) => endpoint === 'other')?.calls).toBe(10);
    expect(first?.filter(({ day }) => day === '2026-03-02')).toMatchObject([{ user_agent: 'agent 29' }]);
  });

  test('calls during a write are not lost', async () => {
    one.note(CALL);
    const writing = one.flush();
    one.note(CALL);
    one.note({ ...CALL, mappingId: 'm2' });
    await writing;
    await one.flush();
    expect(await rows()).toMatchObject([
      { mapping_id: 'm1', calls: 2 },
      { mapping_id: 'm2', calls: 1 },
    ]);
  });

  const MANY = 60_500;
  const KEPT = 60_000;
  const URGENT = 30_000;

  test('a database that is away loses nothing up to the bound, then drops with one line, and is written at the end', async () => {
    await breaker.whileMissing('usage', async () => {
      for (let n = 0; n < MANY; n += 1) one.note({ ...CALL, mappingId: `m${n}` });
      await one.flush();
      // One that waits already is added up all the same.
      one.note({ ...CALL, mappingId: 'm0' });
    });
    expect(
      log().filter((line) => line.includes('usage cannot be written, the bridge drops counts')),
    ).toHaveLength(1);
    expect(
      log().filter((line) => line.includes('usage cannot be written, the bridge drops counts')),
    ).toHaveLength(1);
    await one.close();
    expect(await rows()).toHaveLength(KEPT);
    expect(await total()).toBe(KEPT + 1);
  });

  test('many are written early, and two processes that write the same rows do not block each other', async () => {
    for (let n = 0; n < URGENT; n += 1) {
      one.note({ ...CALL, mappingId: `m${n}` });
      two.note({ ...CALL, mappingId: `m${URGENT - 1 - n}` });
    }
    await until(async () => (await total()) === 2 * URGENT, 30_000);
    expect(await rows()).toHaveLength(URGENT);
    expect(log()).toEqual([]);
  });

  test('what is told of a token: when it was last seen, and its calls, carriers and user agents of the last days', async () => {
    one.note({ ...CALL, userAgent: 'old agent', carrier: 'body' });
    clock.advance(30 * 24 * HOUR);
    one.note({ ...CALL, userAgent: 'rare agent', carrier: 'query', status: 401 });
    for (let n = 0; n < 3; n += 1) one.note(CALL);
    one.note({ ...CALL, mappingId: 'm2' });
    await one.flush();
    const parts = { store: stores.one, clock };
    const usage = await usageOf(parts, ['m1', 'never seen'], { days: 30 });
    expect([...usage]).toEqual([
      [
        'm1',
        {
          lastSeen: START + 30 * 24 * HOUR,
          calls: 4,
          refused: 1,
          carriers: ['header', 'query'],
          userAgents: ['node-buffer/1.0', 'rare agent'],
        },
      ],
    ]);
    const wider = await usageOf(parts, ['m1'], { days: 31 });
    expect(wider.get('m1')).toMatchObject({ calls: 5, carriers: ['header', 'body', 'query'] });
  });

  test('the old API answered the addresses at which a call was answered, and no others', async () => {
    for (const [endpoint, status] of [
      ['/1/profiles.json', 200],
      ['/1/analytics.json', 200],
      ['/1/analytics.json', 401],
      ['/1/typo.json', 404],
      ['/1/links.json', 405],
    ] as const)
      one.note({ ...CALL, endpoint, status });
    await one.flush();
    const { kinds } = await callsOf({ store: stores.one, clock }, ['m1'], { days: 7 });
    expect(endpointsPassed(kinds)).toEqual(['/1/analytics.json']);
    expect(endpointsElsewhere(kinds).toSorted()).toEqual([
      '/1/analytics.json',
      '/1/links.json',
      '/1/typo.json',
    ]);
  });
});
