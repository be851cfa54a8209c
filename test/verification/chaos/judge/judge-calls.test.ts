import type { Line } from '../balancer.ts';
import { judgeCalls } from './judge-calls.ts';
import { type ChaosRecord, type SentCall, UNKNOWN_TOKEN, type Walk } from '../record.ts';

/** Which failed calls a chaos excuses, and for which reason alone. */

type Seen = Parameters<typeof judgeCalls>[0];

const call = (more: Partial<SentCall>): SentCall => ({
  id: 'call-1',
  what: 'read',
  address: '127.10.1.7',
  startedAt: 10_000,
  endedAt: 10_200,
  isAgain: false,
  expected: [200],
  ...more,
});

const line = (more: Partial<Line>): Line => ({
  call: 'call-1',
  startedAt: 10_000,
  endedAt: 10_200,
  method: 'GET',
  path: '/1/user.json',
  status: 502,
  end: 'SH',
  server: 'bridge-1',
  retries: 0,
  ...more,
});

const nothing: ChaosRecord = {
  calls: [],
  walks: [],
  cuts: [],
  troubles: [],
  starved: [],
  unnoticed: [],
  violations: [],
};

const judged = (seen: Partial<Seen>) => judgeCalls({ ...nothing, lines: [], guesses: [], ...seen });

const kill = { server: 'bridge-1', isKill: true, from: 10_100, until: 10_150 };

test('an answer that is expected is no failure', () => {
  expect(judged({ calls: [call({ status: 200 })] })).toMatchObject({ cut: 0, again: 0, failures: [] });
});

test('a call may fail on the connection to a bridge that is killed while it is under way', () => {
  const failed = { calls: [call({ status: 502 })], lines: [line({})] };
  expect(judged({ ...failed, cuts: [kill] })).toMatchObject({ cut: 1, failures: [] });
  expect(judged(failed).failures).toHaveLength(1);
});

test.each([
  ['another bridge', { ...kill, server: 'bridge-2' }],
  ['a bridge that was killed before', { ...kill, from: 8000, until: 8050 }],
  ['a bridge that was killed after', { ...kill, from: 12_000, until: 12_050 }],
])('%s excuses nothing', (_which, cut) => {
  const seen = { calls: [call({ status: 502 })], lines: [line({})], cuts: [cut] };
  expect(judged(seen)).toMatchObject({ cut: 0, failures: [expect.stringContaining('502 SH')] });
});

test('a connection that the balancer ends without a line ends with a kill', () => {
  const hung = call({ failure: 'socket hang up' });
  expect(judged({ calls: [hung], cuts: [kill] })).toMatchObject({ cut: 1, failures: [] });
  expect(judged({ calls: [{ ...hung, endedAt: 14_000 }], cuts: [kill] }).failures).toHaveLength(1);
});

test('a bridge says come again while something is away, and for a grant in doubt since then', () => {
  const again = call({ status: 503, isAgain: true });
  const trouble = { of: 'database' as const, from: 9000, until: 10_050 };
  expect(judged({ calls: [again], troubles: [trouble] })).toMatchObject({ again: 1, failures: [] });
  expect(judged({ calls: [again] }).failures).toHaveLength(1);
  const standing = { presentedAt: 9900, isDead: false, isHeldBack: false };
  const doubtful = { ...again, startedAt: 20_000, endedAt: 20_100, standing };
  expect(judged({ calls: [doubtful], cuts: [kill] })).toMatchObject({ again: 1, failures: [] });
  expect(judged({ calls: [doubtful] }).failures).toHaveLength(1);
});

test('a 503 of the balancer is no bridge that says come again', () => {
  const trouble = { of: 'database' as const, from: 9000, until: 11_000 };
  const seen = {
    calls: [call({ status: 503 })],
    lines: [line({ status: 503, server: '<NOSRV>', end: 'SC' })],
  };
  expect(judged({ ...seen, troubles: [trouble] }).failures).toHaveLength(1);
});

test('a token is refused only where its grant has ended', () => {
  const refused = call({ status: 401 });
  const standing = { presentedAt: undefined, isDead: true, isHeldBack: false };
  expect(judged({ calls: [{ ...refused, standing }] })).toMatchObject({ ended: 1, failures: [] });
  expect(judged({ calls: [{ ...refused, standing: { ...standing, isDead: false } }] }).failures).toHaveLength(
    1,
  );
});

test('a page that breaks off needs a request of its own that was cut', () => {
  const walk: Walk = {
    id: 'walk-1',
    what: 'page',
    startedAt: 10_000,
    endedAt: 10_300,
    failure: 'fetch failed',
  };
  expect(judged({ walks: [walk] }).failures).toHaveLength(1);
  const cut = { walks: [walk], lines: [line({ call: 'walk-1' })], cuts: [kill] };
  expect(judged(cut)).toMatchObject({ cut: 1, failures: [] });
  expect(judged({ ...cut, cuts: [] }).failures).toEqual([expect.stringContaining('page walk-1')]);
});

test('a machine that kept the new API from running is told apart', () => {
  const again = call({ status: 503, isAgain: true });
  const starved = [{ from: 6000, until: 9000 }];
  expect(judged({ calls: [again], starved })).toMatchObject({ starved: 1, failures: [] });
  expect(judged({ calls: [call({ status: 500 })], starved }).failures).toHaveLength(1);
});

const MANY = 61;
const guess = call({ what: UNKNOWN_TOKEN, status: 429, startedAt: 40_000, endedAt: 40_010, expected: [401] });
const guessesOf = (address: string, count: number) =>
  Array.from({ length: count }, (_none, n) =>
    call({ what: UNKNOWN_TOKEN, address, startedAt: 10_000 + n * 100, status: 401, expected: [401] }),
  );

test('an address above the limit of unknown tokens is held back, and nobody else', () => {
  const own = guessesOf(guess.address, MANY);
  expect(judged({ calls: [guess], guesses: own })).toMatchObject({ braked: 1, failures: [] });
  expect(judged({ calls: [guess], guesses: guessesOf('127.10.2.7', MANY) }).failures).toHaveLength(1);
  expect(judged({ calls: [guess], guesses: own.slice(1) }).failures).toHaveLength(1);
  const late = { ...guess, startedAt: 90_000, endedAt: 90_010 };
  expect(judged({ calls: [late], guesses: own }).failures).toHaveLength(1);
});

test('a 429 for a good token is a failure, above the limit and around a kill', () => {
  const refused = { ...guess, what: 'token of the old API', expected: [200] as const };
  const seen = { calls: [refused], guesses: guessesOf(guess.address, MANY), lines: [line({ status: 429 })] };
  expect(judged({ ...seen, cuts: [{ ...kill, from: 39_000, until: 41_000 }] }).failures).toHaveLength(1);
});

test('a page that is held back is a failure, whatever is away', () => {
  const walk: Walk = { id: 'walk-1', what: 'page', startedAt: 10_000, endedAt: 10_300, failure: '429' };
  const lines = [line({ call: 'walk-1', status: 429, end: '--' })];
  const troubles = [{ of: 'database' as const, from: 9000, until: 11_000 }];
  expect(judged({ walks: [walk], lines, troubles, cuts: [kill] }).failures).toHaveLength(1);
});
