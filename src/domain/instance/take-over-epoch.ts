/**
 * A take-over raises the epoch by at least this much. Counting does not rise so far between two looks, and an older
 * copy needs days to count so far.
 */
export const TAKE_OVER_LEAP = 1_000_000;

/**
 * The epoch after a take-over, higher than every epoch that was seen: the database's time in milliseconds. That time
 * runs faster than any counting, so the later of two take-overs from one backup has the higher epoch. Where the time is
 * not higher than the epochs that were seen, its last digits still make the two epochs different.
 */
export function epochOfTakeOver(seen: number, now: number): number {
  return Math.max(now, seen + TAKE_OVER_LEAP + (now % TAKE_OVER_LEAP));
}
