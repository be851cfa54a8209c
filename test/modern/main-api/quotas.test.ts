import { readConfig } from '../../../src/config/config.ts';
import { createRollingWindow } from '../../../src/modern/rolling-window.ts';
import { budgetOf } from '../../../src/upstream/rate-budget.ts';
import { bearerFor } from '../support/api-caller.ts';
import {
  CLIENT_SECRET,
  CONFIDENTIAL,
  consent,
  exchange,
  graphql,
  PUBLIC,
  type Running,
  runModern,
  SECOND,
} from '../support/modern.ts';

const QUERY = { query: '{ account { name } }' };
const MINUTES_15 = 900;
const DAY = 86_400;
const DAYS_30 = 2_592_000;

/** The members of a structured list as objects, read by the rules of RFC 9651 as far as these headers need them. */
function membersOf(header: string | null): Record<string, string | number>[] {
  return (header ?? '').split(', ').map((member) => {
    const [name = '', ...parameters] = member.split(';');
    const pairs = parameters.map((parameter) => {
      const [, key = '', value = ''] = /^([a-z]+)=(.+)$/.exec(parameter) ?? [];
      return [key, /^\d+$/.test(value) ? Number(value) : value];
    });
    return { name, ...Object.fromEntries(pairs) };
  });
}

describe('headers', () => {
  let modern: Running;
  let base: string;
  let bearer: string;

  async function standing(question: unknown) {
    const answer = await graphql(base, bearer, question);
    return { status: answer.status, r: membersOf(answer.headers.get('ratelimit'))[0]?.['r'] };
  }

  beforeAll(async () => {
    modern = await runModern({ quotas: [100, 250, 3000] });
    base = modern.server.url;
    bearer = await bearerFor(base);
  });
  afterAll(() => modern.stop());

  test('every authenticated answer names three windows, what is left and when the first call is forgotten', async () => {
    await graphql(base, bearer, QUERY);
    const { headers } = await graphql(base, bearer, QUERY);
    const standings = membersOf(headers.get('ratelimit'));
    expect(standings.map(({ name, r }) => [name, r])).toEqual([
      ['"100-in-15min"', 98],
      ['"250-in-1day"', 248],
      ['"3000-in-30days"', 2998],
    ]);
    for (const [index, seconds] of [MINUTES_15, DAY, DAYS_30].entries()) {
      expect(standings[index]?.['t']).toBeLessThanOrEqual(seconds);
      expect(standings[index]?.['t']).toBeGreaterThan(seconds - 60);
    }
  });

  test('the policy names quota, length and a digest of the client, and no id or token', async () => {
    const { headers } = await graphql(base, bearer, QUERY);
    const policy = headers.get('ratelimit-policy') ?? '';
    const members = membersOf(policy);
    expect(members.map(({ name, q, w }) => [name, q, w])).toEqual([
      ['"100-in-15min"', 100, MINUTES_15],
      ['"250-in-1day"', 250, DAY],
      ['"3000-in-30days"', 3000, DAYS_30],
    ]);
    for (const { pk } of members) expect(pk).toMatch(/^:[A-Za-z0-9+/]{43}=:$/);
    const decoded = Buffer.from(String(members[0]?.['pk']), 'base64').toString('latin1');
    for (const text of [policy, decoded]) {
      expect(text).not.toContain(PUBLIC);
      expect(text).not.toContain(bearer.slice('Bearer '.length));
    }
  });

  test.each([
    ['a malformed body', '{ not json', 400],
    ['an unknown field', { query: '{ nothing }' }, 400],
    ['a query over a limit', { query: `{ ${'a'.repeat(3)} `.repeat(40) + '}'.repeat(40) }, 200],
    ['no such thing', { query: '{ channel(input: { id: "nothing" }) { id } }' }, 200],
  ])('%s is counted like any other call', async (_what, body, status) => {
    const before = await standing(QUERY);
    expect(await standing(body)).toEqual({ status, r: Number(before.r) - 1 });
  });

  test('the bridge reads them as its budget', async () => {
    const { status, headers } = await graphql(base, bearer, QUERY);
    const [short] = membersOf(headers.get('ratelimit'));
    const budget = budgetOf({ status, headers: Object.fromEntries(headers), body: '' });
    expect(budget).toEqual({
      share: Number(short?.['r']) / 100,
      left: Number(short?.['r']),
      waitMs: 0,
      validMs: Number(short?.['t']) * 1000,
      windows: membersOf(headers.get('ratelimit')).map((member, index) => ({
        limit: [100, 250, 3000][index],
        left: Number(member['r']),
        seconds: [900, 86_400, 2_592_000][index],
        validMs: Number(member['t']) * 1000,
      })),
    });
  });

  test('a 401 carries none of them, and counts for nobody', async () => {
    const { headers } = await graphql(base, 'Bearer unknown', QUERY);
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
  });
});

describe('a full window', () => {
  let modern: Running;
  let base: string;
  let bearer: string;
  beforeAll(async () => {
    modern = await runModern({ quotas: [5, 1000, 1000] });
    base = modern.server.url;
    bearer = await bearerFor(base);
  });
  afterAll(() => modern.stop());

  test('of calls at once exactly the quota runs, and the others are refused as recorded', async () => {
    const rename = { query: 'mutation { updateAccount(input: { name: "Too late" }) { __typename } }' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => graphql(base, bearer, QUERY)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = await graphql(base, bearer, rename);
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        errors: [
          {
            message: 'Too many requests from this client. Please try again later.',
            extensions: { code: 'RATE_LIMIT_EXCEEDED', window: '15m' },
          },
        ],
      },
    ]);
    const wait = refused.headers.get('retry-after') ?? '';
    expect(wait).toMatch(/^\d+$/);
    expect(Number(wait)).toBeLessThanOrEqual(MINUTES_15);
    expect(Number(wait)).toBeGreaterThan(MINUTES_15 - 60);
    const standings = membersOf(refused.headers.get('ratelimit'));
    expect(standings.map(({ r }) => r)).toEqual([0, 995, 995]);

    const other = await exchange(base, await consent({ base, parameters: { client_id: CONFIDENTIAL } }), {
      client_id: CONFIDENTIAL,
      client_secret: CLIENT_SECRET,
    });
    const seen = await graphql(base, `Bearer ${other.body['access_token']}`, QUERY);
    expect([seen.status, seen.body.data.account.name]).toEqual([200, 'Dana Demo']);
  });

  test('is one for all people who use the client', async () => {
    const second = await bearerFor(base, SECOND);
    expect((await graphql(base, second, QUERY)).status).toBe(429);
  });

  test('is looked at before the body: even one that is malformed is 429', async () => {
    expect((await graphql(base, bearer, '{ not json')).status).toBe(429);
    const response = await fetch(`${base}/graphql`, { headers: { authorization: bearer } });
    expect(response.status).toBe(429);
  });
});

test('of several full windows the one that opens last is named', async () => {
  const modern = await runModern({ quotas: [2, 2, 1000] });
  try {
    const base = modern.server.url;
    const bearer = await bearerFor(base);
    await graphql(base, bearer, QUERY);
    await graphql(base, bearer, QUERY);
    const { status, headers, body } = await graphql(base, bearer, QUERY);
    expect([status, body.errors[0].extensions.window]).toEqual([429, '24h']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(DAY - 60);
  } finally {
    await modern.stop();
  }
});

describe('a rolling window', () => {
  test('gives calls back one after the other as they leave it, not all at a fixed hour', () => {
    const window = createRollingWindow(3, 900_000);
    for (const minute of [0, 5, 10]) window.count(minute * 60_000);
    expect([window.left(14 * 60_000), window.untilReset(14 * 60_000)]).toEqual([0, 60_000]);
    expect([window.left(15 * 60_000), window.untilReset(15 * 60_000)]).toEqual([1, 5 * 60_000]);
    expect(window.left(20 * 60_000)).toBe(2);
    expect(window.left(25 * 60_000)).toBe(3);
  });

  test('is never said to open later than its length, at times with any fraction', () => {
    for (let now = 1; now < 1e8; now *= 1.0037) {
      const window = createRollingWindow(1, 900_000);
      window.count(now);
      expect(window.untilReset(now)).toBe(900_000);
    }
  });

  test('never lets more than the quota through in any stretch of its length, and gives back a sixtieth late at most', () => {
    const length = 900_000;
    const quota = 50;
    const window = createRollingWindow(quota, length);
    const admitted: number[] = [];
    for (let now = 0; now < 5 * length; now += 1301) {
      if (window.left(now) > 0) {
        window.count(now);
        admitted.push(now);
      } else {
        const oldestOfQuota = admitted.at(-quota) ?? 0;
        expect(now - oldestOfQuota).toBeLessThan(length + length / 60);
      }
    }
    const crowded = admitted.filter((time, index) => time - (admitted[index - quota] ?? -length) < length);
    expect(crowded).toEqual([]);
    expect(admitted.length).toBeGreaterThan(4 * quota);
  });
});

const quotasOf = (text: string) => readConfig({ MODERN_QUOTAS: text }).embedded.quotas;

describe('MODERN_QUOTAS', () => {
  test('is three numbers, for 15 minutes, 24 hours and 30 days', () => {
    expect(quotasOf('100,250,3000')).toEqual([100, 250, 3000]);
    expect(quotasOf(' 1 , 2, 3 ')).toEqual([1, 2, 3]);
  });

  test.each([
    '100',
    '100,250',
    '1,2,3,4',
    '0,1,1',
    '-1,1,1',
    '1.5,1,1',
    'a,b,c',
    '1e3,1,1',
    '1;2;3',
    '9999999999,1,1',
  ])('%j is refused in words that name it', (text) => {
    expect(() => quotasOf(text)).toThrow(/MODERN_QUOTAS: must be three whole numbers/);
  });
});
