import type { Mapping } from '../../store/tables/tables.ts';
import { stopReason, UNKNOWN_ANSWER } from '../../store/grants/presentations.ts';
import type { Origin } from '../origin.ts';
import type { TokensDeps } from './deps.ts';
import { revokeToken } from './revoke-token.ts';

const REASON = 'a call with the token asked for it';

/**
 * Ends a token that stopped because the answer to a refresh is unknown. That answer may still come and revive the grant
 * with its tokens; a token that its program has deauthorized must not come back. Only this token ends: a refused token
 * speaks for no other token.
 */
export async function endStopped(
  context: TokensDeps,
  { id: mappingId, state, reason }: Mapping,
  origin: Origin,
): Promise<void> {
  const mayComeBack = UNKNOWN_ANSWER.map(stopReason).includes(reason ?? '');
  if (state === 'reauthorization_required' && mayComeBack)
    await revokeToken(context, { mappingId, ...origin, reason: REASON });
}
