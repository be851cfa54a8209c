import {
  backOff,
  doubtEndsAt,
  mayPresentAgain,
  pairTimes,
} from '../../../src/domain/grants/refresh/refresh-policy.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';

const SENT = 1_000_000;

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

test('the back-off doubles, has an end, and is never shorter than what the server asked for', () => {
  expect(backOff(0, 1)).toBe(1_000);
  expect(backOff(3, 1)).toBe(8_000);
  expect(backOff(60, 1)).toBe(900_000);
  expect(backOff(0, 0)).toBe(500);
  expect(backOff(0, 0, { asked: 30_000 })).toBe(30_000);
});

const grant = (access: number, presented: number, retry: number) =>
  ({ access_expires_at: access, presented_at: presented, retry_at: retry }) as Grant;

test('a grant in doubt rests until its token has ended, the quiet time has passed and the back-off is over', () => {
  expect(doubtEndsAt(grant(9_000, 1_000, 0), 3_000, 1_500)).toBe(9_000);
  expect(doubtEndsAt(grant(2_000, 1_000, 0), 3_000, 1_500)).toBe(4_000);
  expect(doubtEndsAt(grant(2_000, 1_000, 7_000), 3_000, 1_500)).toBe(7_000);
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
