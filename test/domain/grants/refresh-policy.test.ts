import { isOfTakeOver } from '../../../src/domain/grants/of-take-over.ts';
import { createClaimAge } from '../../../src/domain/grants/refresh/claim-age.ts';
import { createRefreshLimit } from '../../../src/domain/grants/refresh/refresh-limit.ts';
import { outcomeOf } from '../../../src/domain/grants/refresh/refresh-outcome.ts';
import {
  backOff,
  doubtEndsAt,
  mayPresentAgain,
  pairTimes,
  restsUntil,
} from '../../../src/domain/grants/refresh/refresh-policy.ts';
import type { OpenTurn } from '../../../src/domain/grants/refresh/stop/breaker-rules.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import { InDoubt, NotSent, Rejected, Unavailable } from '../../../src/upstream/outcomes.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';

const SENT = 1_000_000;
const HOUR = 3_600_000;

test.each([
  [3_600_000, 0],
  [3_600_000, 0.999],
  [30_000, 0.5],
  [2_000, 0.5],
])(
  'a token of %d ms is renewed before it ends, from the time of sending, with jitter %d',
  (lifetime, chance) => {
    const { expiresAt, refreshAt } = pairTimes(SENT, lifetime, chance);
    expect(expiresAt).toBe(SENT + lifetime);
    expect(refreshAt).toBeGreaterThan(SENT + lifetime / 2);
    expect(refreshAt).toBeLessThanOrEqual(SENT + lifetime * 0.75);
  },
);

test('the share of its life after which a token is renewed is between 65 and 75 percent', () => {
  const shares = [0, 0.5, 1].map((chance) => pairTimes(SENT, 100_001, chance).refreshAt - SENT);
  expect(shares).toEqual([75_000, 70_000, 65_000]);
});

test('the back-off doubles, has an end, and is never shorter than what the server asked for', () => {
  expect(backOff(0, 1)).toBe(1_000);
  expect(backOff(3, 1)).toBe(8_000);
  expect(backOff(60, 1)).toBe(900_000);
  expect(backOff(0, 0)).toBe(500);
  expect(backOff(0, 0, { asked: 30_000 })).toBe(30_000);
  expect(backOff(2, 0.5)).toBe(3_000);
  expect(backOff(0, 0.333)).toBe(666);
  expect(backOff(9, 1, { longest: 20_000 })).toBe(20_000);
  expect(backOff(9, 1, { longest: 20_000, asked: 30_000 })).toBe(30_000);
});

test('a grant rests until its time, but not for longer than an hour, which only a wrong clock writes', () => {
  const rests = [SENT, SENT + 1, SENT + HOUR, SENT + HOUR + 1].map((retry) =>
    restsUntil({ retry_at: retry }, SENT),
  );
  expect(rests).toEqual([0, SENT + 1, SENT + HOUR, 0]);
});

const grant = (access: number, presented: number, retry: number) =>
  ({ access_expires_at: access, presented_at: presented, retry_at: retry }) as Grant;

test('a grant in doubt rests until its token has ended, the quiet time has passed and the back-off is over', () => {
  expect(doubtEndsAt(grant(9_000, 1_000, 0), 3_000, 1_500)).toBe(9_000);
  expect(doubtEndsAt(grant(2_000, 1_000, 0), 3_000, 1_500)).toBe(4_000);
  expect(doubtEndsAt(grant(2_000, 1_000, 7_000), 3_000, 1_500)).toBe(7_000);
  expect(doubtEndsAt({ ...grant(2_000, 0, 0), presented_at: null }, 3_000, 1_500)).toBe(3_000);
  expect(doubtEndsAt(grant(2_000, 1_000, 9_000_000), 3_000, 1_500)).toBe(4_000);
});

test.each([
  [true, 0, true],
  [true, 3, true],
  [false, 0, false],
  [undefined, 0, true],
  [undefined, 1, false],
])(
  'introspection says %p and %d other grants stand there: presenting again is allowed: %p',
  (live, siblings, allowed) => {
    expect(mayPresentAgain(live, siblings)).toBe(allowed);
  },
);

test('the age of a claim counts from the first look at this claim, by the clock that nobody sets', () => {
  const clock = new SettableClock(50);
  const age = createClaimAge(clock);
  const seenFor = (id: string, claim: string | null) => age.seenFor({ id, claim_id: claim });
  expect(seenFor('g1', 'c1')).toBe(0);
  clock.advance(10);
  expect([seenFor('g1', 'c1'), seenFor('g2', 'c1'), seenFor('g3', null)]).toEqual([10, 0, 0]);
  clock.advance(5);
  expect([seenFor('g1', 'c1'), seenFor('g2', 'c1'), seenFor('g3', null)]).toEqual([15, 5, 5]);
  expect(seenFor('g1', 'c2')).toBe(0);
  clock.advance(1);
  expect([seenFor('g1', 'c2'), seenFor('g1', 'c1')]).toEqual([1, 0]);
  clock.advance(1);
  age.forget('g1');
  expect([seenFor('g1', 'c1'), seenFor('g2', 'c1')]).toEqual([0, 7]);
});

const LIMITED: OpenTurn[] = [
  { kind: 'few', seen: 1 },
  { kind: 'counted', seen: 1 },
];

test.each(LIMITED)('five presentations of $kind may go on before the database counts them', (turn) => {
  const slots = createRefreshLimit();
  const taken = Array.from({ length: 5 }, () => slots.take(turn));
  expect(taken.map((slot) => slot?.turn)).toEqual(Array.from({ length: 5 }, () => turn));
  expect(slots.take(turn)).toBeUndefined();
  taken[0]?.leave();
  taken[0]?.leave();
  expect(slots.take(turn)).toBeDefined();
  expect(slots.take(turn)).toBeUndefined();
});

test('what is not limited takes no place, and passes when all are taken', () => {
  const slots = createRefreshLimit();
  const probe: OpenTurn = { kind: 'probe', seen: 1, change: {} };
  const free: OpenTurn = { kind: 'free', breaker: { turn: 1, goodAt: 0, since: 0 } };
  const [few] = LIMITED;
  for (const turn of [probe, free, probe, free, probe, free]) slots.take(turn)?.leave();
  for (const turn of [probe, free, probe, free, probe, free]) expect(slots.take(turn)).toBeDefined();
  for (let place = 0; place < 5; place += 1) expect(slots.take(few!)).toBeDefined();
  expect(slots.take(few!)).toBeUndefined();
  expect([slots.take(probe)?.turn, slots.take(free)?.turn]).toEqual([probe, free]);
});

test.each<[unknown, string]>([
  [new Rejected('invalid_grant'), 'refused'],
  [new Rejected('invalid_client'), 'client_refused'],
  [new Unavailable('away'), 'not_sent'],
  [new NotSent('a rest'), 'not_sent'],
  [new InDoubt('no answer'), 'in_doubt'],
  [new Error('a defect'), 'in_doubt'],
])('a presentation that ended with %s counts as %s', (error, outcome) => {
  expect(outcomeOf(error)).toBe(outcome);
});

test.each<[number | null, number | null, boolean]>([
  [SENT, SENT, true],
  [SENT, SENT + 1, false],
  [SENT, null, false],
  [null, SENT, false],
  [null, null, false],
])('restored at %p and presented at %p: not presented since: %p', (restored, presented, isOf) => {
  expect(isOfTakeOver({ restored_at: restored, presented_at: presented })).toBe(isOf);
});
