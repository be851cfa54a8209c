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
 * Counts, and tells, that a caller got the last known answer. An open breaker and reads that find no place have lines of
 * their own, once for all callers. A short budget shows in the metrics. For any other reason each app has some lines in a
 * minute: while the new API asks the bridge to wait, every call may end here.
 */
export function tellLastKnown(
  { logger, metrics, lastKnownLines }: Pick<ReadsDeps, 'logger' | 'metrics' | 'lastKnownLines'>,
  { error, grant, ageSeconds }: { grant: GrantClient; ageSeconds?: number; error: unknown },
): void {
  metrics.upstream.noteLastKnown();
  const detail = error instanceof Error ? error.message : undefined;
  const { id: grantId, clientId, calling } = grant;
  const fields = { grantId, clientId, requestId: calling?.requestId, ageSeconds, detail };
  const message = 'served the last known answer';
  if (TOLD_ELSEWHERE.some((kind) => error instanceof kind)) logger.debug(message, fields);
  else lastKnownLines({ level: 'warn', message, address: '', kind: clientId, common: { clientId }, fields });
}
