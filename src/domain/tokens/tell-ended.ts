import { MAPPINGS_TOLD } from '../grants/end-grant.ts';
import type { Origin } from '../origin.ts';
import type { TokensDeps } from './deps.ts';
import { loggedReason } from './standing/ends.ts';

interface EndedTokens extends Origin {
  clientId: string;
  mappings: readonly string[];
  /** As the tokens keep it. */
  reason: string;
}

/**
 * Tells after the commit which tokens were ended, so that the log alone says who did it. `by` is the kind of the actor alone: the
 * history names the person.
 */
export function tellEnded(
  { logger }: Pick<TokensDeps, 'logger'>,
  { clientId, mappings, actor, requestId, reason }: EndedTokens,
): void {
  if (mappings.length === 0) return;
  const told = { mappings: mappings.slice(0, MAPPINGS_TOLD), tokens: mappings.length };
  const [by] = actor.split(':');
  logger.info('tokens were ended', { clientId, ...told, by, reason: loggedReason(reason), requestId });
}
