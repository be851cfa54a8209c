import { SINCE, call, sound } from '../../shared/checker/sound-history.ts';
import type { Vitals } from '../watch/vitals.ts';
import { judgeAnswers } from './answers.ts';
import { judgeMails } from './chores.ts';
import { judgeVitals, trendsOf } from './vitals.ts';

/** The judges of a soak on figures written by hand: each passes what is sound, and sees what is wrong. */

const MINUTE = 60_000;
const MEGABYTE = 1024 * 1024;

function looksOf(change: (share: number) => Partial<Vitals>): Vitals[] {
  return Array.from({ length: 100 }, (_, n) => ({
    at: SINCE + (n * 20 * MINUTE) / 100,
    machine: 0,
    pid: 7,
    age: n,
    held: 50 * MEGABYTE,
    rss: 120 * MEGABYTE,
    files: 40,
    resources: 30,
    gap: 10,
    late: 1,
    ...change(n / 100),
  }));
}

const judged = (looks: Vitals[]) =>
  judgeVitals(trendsOf(looks, 30 * MINUTE)).map(({ invariant }) => invariant);

test('a process that warms up and stays so is sound', () => {
  expect(judged(looksOf((share) => ({ held: (share < 0.2 ? 30 : 50) * MEGABYTE })))).toEqual([]);
});

test.each<[string, string, (share: number) => Partial<Vitals>]>([
  ['memory that grows all the time', 'memory', (share) => ({ held: (50 + 20 * share) * MEGABYTE })],
  ['files that stay open', 'handles', (share) => ({ files: 40 + 100 * share })],
  ['timers that stay', 'handles', (share) => ({ resources: 30 + 100 * share })],
])('%s is seen', (_words, invariant, change) => {
  expect(judged(looksOf(change))).toEqual([invariant]);
});

test('a process that lived for a short time is not judged', () => {
  expect(
    trendsOf(
      looksOf(() => ({})),
      60 * MINUTE,
    ),
  ).toEqual([]);
});

const stop = { process: 0, pid: 0, from: SINCE + 1000, until: SINCE + 3000, wanted: true };
const nobody = { unanswered: [], slow: [] };

function withoutAnswer(startedAt: number, failure: string) {
  const { status: _none, ...rest } = call({ startedAt, endedAt: SINCE + 1500, failure });
  return rest;
}

test('a machine that stops may refuse a call, and may not cut one that it had accepted', () => {
  const late = withoutAnswer(SINCE + 1200, 'connect ECONNREFUSED 127.0.0.1:1');
  const cut = withoutAnswer(SINCE + 900, 'socket hang up');
  const history = { ...sound(), outages: [stop], calls: [late] };
  expect(judgeAnswers(history, nobody)).toEqual([]);
  expect(judgeAnswers({ ...history, calls: [cut] }, nobody).map(({ invariant }) => invariant)).toEqual([
    'stop',
  ]);
  const kill = { ...stop, pid: 7, until: SINCE + 1100 };
  expect(judgeAnswers({ ...history, outages: [stop, kill], calls: [cut] }, nobody)).toEqual([]);
});

test('a call of another kind that a living process did not answer is seen', () => {
  const { process, startedAt, endedAt } = call({});
  const unanswered = [{ what: 'create', process, startedAt, endedAt, failure: 'hung' }];
  const found = judgeAnswers(sound(), { ...nobody, unanswered });
  expect(found.map(({ invariant }) => invariant)).toEqual(['answered']);
  expect(
    judgeAnswers({ ...sound(), outages: [{ ...stop, from: SINCE, pid: 7 }] }, { ...nobody, unanswered }),
  ).toEqual([]);
});

test('a slow answer is seen, unless its process was paused', () => {
  const slow = [{ what: 'create', process: 0, startedAt: SINCE, endedAt: SINCE + 90_000 }];
  expect(judgeAnswers(sound(), { ...nobody, slow })).toHaveLength(1);
  const pauses = [{ process: 0, pid: 7, from: SINCE + 10, until: SINCE + 20 }];
  expect(judgeAnswers({ ...sound(), pauses }, { ...nobody, slow })).toEqual([]);
});

test('what the machine kept for others is no time of a call', () => {
  const slow = { what: 'create', process: 0, startedAt: SINCE, endedAt: SINCE + 90_000 };
  const hung = { ...slow, failure: 'hung' };
  const found = (stood: number) =>
    judgeAnswers(sound(), { slow: [{ ...slow, stood }], unanswered: [{ ...hung, stood }] });
  expect(found(85_000)).toEqual([]);
  expect(found(20_000).map(({ invariant }) => invariant)).toEqual(['answered', 'answered']);
});

test('a call that broke off was not kept by the machine', () => {
  const cut = { what: 'create', process: 0, startedAt: SINCE, endedAt: SINCE + 90_000, stood: 85_000 };
  expect(
    judgeAnswers(sound(), { ...nobody, unanswered: [{ ...cut, failure: 'socket hang up' }] }),
  ).toHaveLength(1);
});

test('each person is written to once, and a repetition needs a kill', () => {
  const people = { addresses: ['a@people.example'], rows: 1 };
  const mail = { machine: 0, messageId: '1', to: 'a@people.example' };
  expect(judgeMails({ arrivals: [mail], repeats: [] }, people, [])).toEqual([]);
  for (const arrivals of [[], [mail, { ...mail, messageId: '2' }]])
    expect(judgeMails({ arrivals, repeats: [] }, people, [])).toHaveLength(1);
  expect(judgeMails({ arrivals: [mail], repeats: [mail] }, people, [])).toHaveLength(1);
  expect(judgeMails({ arrivals: [mail], repeats: [mail] }, people, [{ ...stop, pid: 7 }])).toEqual([]);
});
