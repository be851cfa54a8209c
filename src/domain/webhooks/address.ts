import { SECOND } from '../../shared/lifetimes.ts';
import { tokensIn } from '../../shared/log/token-like.ts';
import { WebhookNotTaken } from '../../upstream/webhooks/failure.ts';
import { pinnedAddresses, whereTo } from '../../upstream/webhooks/pinned-addresses.ts';
import type { WebhooksDeps } from './deps.ts';

/**
 * The address of a webhook. It is checked when it is saved, for the person; and again at every attempt, because a name may
 * lead elsewhere by then.
 */

/** Why an address cannot be used. */
export type AddressProblem = 'malformed' | 'not https' | 'with a secret' | 'not public';

const ADDRESS_MAX = 500;

const LOOKED_UP_FOR = 5 * SECOND;

/**
 * Pages show an address, so it must hold no secret: no user, no query, nothing that looks like one. Receivers know the
 * sender by the signature.
 */
function formProblem(text: string): AddressProblem | undefined {
  if (text.length > ADDRESS_MAX || !URL.canParse(text) || /\s/.test(text)) return 'malformed';
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:') return 'not https';
  const hasMore = `${username}${password}${search}${hash}` !== '' || text.includes('?') || text.includes('#');
  return hasMore || tokensIn(text).length > 0 ? 'with a secret' : undefined;
}

/** Why the address cannot be used; undefined where it can. */
export async function findAddressProblem(
  { webhooks }: Pick<WebhooksDeps, 'webhooks'>,
  text: string,
): Promise<AddressProblem | undefined> {
  const problem = formProblem(text);
  if (problem !== undefined) return problem;
  const allowed = webhooks.reach.networks;
  try {
    await pinnedAddresses(new URL(text), { allowed, signal: AbortSignal.timeout(LOOKED_UP_FOR) });
    return undefined;
  } catch (error) {
    if (error instanceof WebhookNotTaken) return 'not public';
    throw error;
  }
}

/**
 * Where an address leads that was refused as not public, looked up once more. For the operator alone: anybody else would
 * learn which names there are inside (docs/threats.md W2).
 */
export function whereRefusedLeads(
  { webhooks }: Pick<WebhooksDeps, 'webhooks'>,
  text: string,
): ReturnType<typeof whereTo> {
  const allowed = webhooks.reach.networks;
  return whereTo(new URL(text), { allowed, signal: AbortSignal.timeout(LOOKED_UP_FOR) });
}
