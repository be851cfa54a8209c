import { BreakerOpen } from '../../upstream/breaker.ts';
import { NoFreePlace } from '../../upstream/concurrency-limit.ts';
import { withTimeout } from '../work/with-timeout.ts';
import type { ReadsDeps } from './deps.ts';

/** One read of the main API for all callers that want the same. */
interface SharedRead<Answer> {
  key: string;
  read: () => Promise<Answer>;
  /** Whether the caller has a last known answer. */
  hasLastKnown: boolean;
}

/**
 * Waits for a read as long as a caller of the old API may wait. A caller that has a last known answer waits no longer
 * than until the breaker opens; the read goes on. Nobody joins a read from before the breaker opened.
 * @throws {Unavailable}, and the errors of `read`
 */
export function untilAnswered<Answer>(
  { flights, sides: { reads } }: Pick<ReadsDeps, 'flights' | 'sides'>,
  { key, read, hasLastKnown }: SharedRead<Answer>,
): Promise<Answer> {
  const answer = withTimeout(flights.run(`${key} ${reads.openings()}`, read));
  return hasLastKnown ? reads.whileClosed(answer) : answer;
}

/**
 * Tells that a caller got the last known answer. Of an open breaker, and of reads that find no place, lines of their own
 * tell, once for all callers.
 */
export function tellLastKnown(
  { logger }: Pick<ReadsDeps, 'logger'>,
  { error, ...fields }: { grantId: string; ageSeconds?: number; error: unknown },
): void {
  if (error instanceof BreakerOpen || error instanceof NoFreePlace)
    logger.debug('served the last known answer', fields);
  else logger.warn('served the last known answer', { ...fields, error });
}
