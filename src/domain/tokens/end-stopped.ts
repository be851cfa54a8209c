import type { Mapping } from '../../store/tables/tables.ts';
import { stopReason, UNKNOWN_ANSWER } from '../../store/grants/presentations.ts';
import type { Context, Origin } from '../context.ts';
import { revokeToken } from './revoke-token.ts';

const REASON = 'a call with the token asked for it';

/**
 * Ends a token that stopped because nobody knew an answer: that answer may still come and revive its grant, and the token
 * with it, unless its program has deauthorized meanwhile. The token ends alone, for one that is refused speaks for no other.
 */
export async function endStopped(
  context: Context,
  { id: mappingId, state, reason }: Mapping,
  origin: Origin,
): Promise<void> {
  const mayComeBack = UNKNOWN_ANSWER.map(stopReason).includes(reason ?? '');
  if (state === 'reauthorization_required' && mayComeBack)
    await revokeToken(context, { mappingId, ...origin, reason: REASON });
}
