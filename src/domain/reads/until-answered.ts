import { BreakerOpen } from '../../upstream/breaker.ts';
import { NoFreePlace } from '../../upstream/concurrency-limit.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import { LimitReached } from '../limits/limit-reached.ts';
import { withTimeout } from '../work/with-timeout.ts';
import type { GrantClient } from '../grants/grant-client.ts';
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

/** Whether an older answer may serve instead: the new API is out of reach, or the rest of the budget is reserved. */
export function isPassing(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof LimitReached;
}

const TOLD_ELSEWHERE = [BreakerOpen, NoFreePlace, LimitReached];

/**
 * Counts, and tells, that a caller got the last known answer. Of an open breaker, and of reads that find no place, lines of
 * their own tell, once for all callers; of a short budget, the metrics tell.
 */
export function tellLastKnown(
  { logger, metrics }: Pick<ReadsDeps, 'logger' | 'metrics'>,
  { error, grant, ageSeconds }: { grant: GrantClient; ageSeconds?: number; error: unknown },
): void {
  metrics.upstream.noteLastKnown();
  const detail = error instanceof Error ? error.message : undefined;
  const fields = { grantId: grant.id, requestId: grant.calling?.requestId, ageSeconds, detail };
  const isTold = TOLD_ELSEWHERE.some((kind) => error instanceof kind);
  logger.log(isTold ? 'debug' : 'warn', 'served the last known answer', fields);
}
