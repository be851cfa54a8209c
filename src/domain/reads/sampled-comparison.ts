import type { ReadsDeps } from './deps.ts';

/** Which answers LEGACY_SHADOW compares, and how many at once. */

/** The share of the answers that is compared. */
const SHARE = 0.1;

/** At most this many comparisons of one kind run at once in one process. Further comparisons are skipped. */
const AT_ONCE = 2;

interface Comparison {
  /** The kind in words. */
  kind: string;
  compare: () => Promise<void>;
}

/** Runs a comparison, if the sample includes the answer. Returns at once; a comparison that fails is logged. */
export function compareInSample(
  context: Pick<ReadsDeps, 'chance' | 'flights' | 'logger'>,
  { kind, compare }: Comparison,
): void {
  const drawn = context.chance() / SHARE;
  if (drawn >= 1) return;
  // `run` under the key of a running comparison returns the running one, and this comparison is skipped.
  const place = Math.floor(drawn * AT_ONCE);
  context.flights.run(`${kind} ${place}`, compare).catch((error: unknown) => {
    context.logger.warn('two answers could not be compared', { error });
  });
}
