/** A window is kept in slices of a sixtieth of its length. */
const SLICES = 60;

interface Slice {
  opened: number;
  latest: number;
  calls: number;
}

/** All times are milliseconds of one clock that never goes back. */
export interface RollingWindow {
  count(now: number): void;
  /** Calls left. */
  left(now: number): number;
  /** Milliseconds until the oldest calls leave the window and `left` grows. */
  untilReset(now: number): number;
}

/**
 * At most `quota` calls in any stretch of `length` milliseconds. The calls of one slice leave the window together, with
 * the latest call of the slice. A call is therefore freed up to a sixtieth of the length late, never early. A window
 * needs 61 slices at most.
 */
export function createRollingWindow(quota: number, length: number): RollingWindow {
  let slices: Slice[] = [];

  const current = (now: number) => (slices = slices.filter(({ latest }) => latest > now - length));
  return {
    count(now) {
      const last = slices.at(-1);
      if (last && now - last.opened < length / SLICES) {
        last.latest = now;
        last.calls += 1;
      } else slices.push({ opened: now, latest: now, calls: 1 });
    },
    left: (now) => Math.max(quota - current(now).reduce((sum, { calls }) => sum + calls, 0), 0),
    // Keep the order of the subtractions: in floating point, `time + length - time` can be slightly more than `length`.
    untilReset: (now) => length - (now - (current(now)[0]?.latest ?? now)),
  };
}
