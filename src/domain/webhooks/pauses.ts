import { DAY, HOUR, MINUTE } from '../../shared/lifetimes.ts';

/** When a message that did not arrive is sent again. Pure rules; time and chance are arguments. */

/** The pause after each attempt without success. After the last one the message is given up. */
const PAUSES = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 1 * DAY] as const;

/** So many attempts are made. */
export const ATTEMPTS_MAX = PAUSES.length + 1;

/** A receiver that fails rests no longer, so that it is found soon when it is back. */
const REST_MAX = 30 * MINUTE;

/** Longer than all attempts of a message take that waits behind no other. */
const OPEN_MAX = 3 * DAY;

/** So many failures in a row mean that the receiver is away. A bad message or a short network fault gives fewer. */
const AWAY_AFTER = ATTEMPTS_MAX;

/** Pauses are up to a fifth longer, so that messages which failed together do not come again together. */
const spread = (pause: number, chance: number) => Math.round(pause * (1 + chance / 5));

/** When a message comes again after so many attempts; undefined when it is given up. */
export function comesAgainAt(
  attempts: number,
  { now, chance }: { now: number; chance: number },
): number | undefined {
  const pause = PAUSES[attempts - 1];
  return pause === undefined ? undefined : now + spread(pause, chance);
}

/** Until when a receiver gets nothing after so many attempts without success in a row. */
export function receiverRestsUntil(
  failures: number,
  { now, chance }: { now: number; chance: number },
): number {
  const pause = PAUSES[Math.min(failures, PAUSES.length) - 1] ?? 0;
  return now + spread(Math.min(pause, REST_MAX), chance);
}

/**
 * The moment before which a message was made that waits in vain for a receiver with so many failures in a row; 0 where
 * everything waits on. Otherwise the messages of a dead receiver, one in half an hour, would keep newer ones out for months.
 */
export function givesUpBefore(failures: number, now: number): number {
  return failures < AWAY_AFTER ? 0 : now - OPEN_MAX;
}

/** Two rests pass so. Where the last attempt is longer ago, failures stand in no row: few messages wait, or the bridge stood still. */
const ROW_MAX = 2 * spread(REST_MAX, 1);

/** Whether failures before the last attempt still stand in a row with one now. */
export function isInRow(triedAt: number, now: number): boolean {
  return now - triedAt <= ROW_MAX;
}
