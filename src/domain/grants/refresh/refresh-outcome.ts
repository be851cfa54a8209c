import type { RefreshOutcome } from '../../../shared/metrics/grant-metrics.ts';
import { Rejected, Unavailable } from '../../../upstream/outcomes.ts';

/** How a failed presentation counts. Only a whole answer, or a request that was not written, proves anything. */
export function outcomeOf(error: unknown): RefreshOutcome {
  if (error instanceof Rejected) return error.code === 'invalid_grant' ? 'refused' : 'client_refused';
  return error instanceof Unavailable ? 'not_sent' : 'in_doubt';
}
