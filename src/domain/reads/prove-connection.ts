import { SECOND } from '../../shared/lifetimes.ts';
import type { CallingRequest } from '../../shared/trace/calling-request.ts';
import { findLiveGrant } from '../../store/grants/grants.ts';
import type { AppAccount } from '../../store/tokens/mappings.ts';
import { Forbidden } from '../../upstream/main-api.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import { GrantDead } from '../grants/refresh/access-token.ts';
import { withTimeout } from '../work/with-timeout.ts';
import type { ReadsDeps } from './deps.ts';
import { readAccount } from './read-account.ts';

/** Shows a person that a connection works, by a read with its grant. */

/** A channel as its people call it, and the kind of the channel. */
export interface ChannelName {
  name: string;
  at: string;
}

/**
 * - `read`: the channels, and when the new API told them. Moments old at most, or as old as the answer that calls get.
 * - `last known`: the new API is out of reach now, and calls get this older answer.
 * - `no answer`: the new API is out of reach or takes too long. The grant is kept.
 * - `not covered`: the consent does not cover the read.
 * - `ended`: the grant ended when the bridge asked.
 */
export type ConnectionProof =
  | { is: 'read' | 'last known'; channels: ChannelName[]; at: number; lacking: string[] }
  | { is: 'no answer' | 'not covered' | 'ended'; lacking: string[] };

/** A person waits for the page. The read itself goes on, and its answer is kept for the next call. */
const WAIT = 4 * SECOND;

function failureOf(error: unknown): 'no answer' | 'not covered' | 'ended' {
  if (error instanceof GrantDead) return 'ended';
  if (error instanceof Forbidden) return 'not covered';
  if (error instanceof Unavailable) return 'no answer';
  throw error;
}

const wordsIn = (scopes: string) => scopes.split(/\s+/).filter(Boolean);

/** The scopes that the consent asked for and did not give. Nobody misses `offline_access`: the refresh token is there. */
function lackingIn(wanted: string, given: string): string[] {
  const has = new Set(['offline_access', ...wordsIn(given)]);
  return wordsIn(wanted).filter((scope) => !has.has(scope));
}

/** Reads the account of a connection as a call of the app does. Undefined where no grant lives for the app and account. */
export async function proveConnection(
  context: ReadsDeps,
  { clientId, accountId }: AppAccount,
  { wanted, calling }: { wanted: string; calling?: CallingRequest },
): Promise<ConnectionProof | undefined> {
  const grant = await findLiveGrant(context.store.durable, clientId, accountId);
  if (!grant) return undefined;
  const lacking = lackingIn(wanted, grant.scope);
  const client = { id: grant.id, clientId, modernClientId: grant.modern_client_id, calling };
  try {
    const read = await withTimeout(readAccount(context, client, { wantedBy: 'person' }), WAIT);
    const channels = read.channels.map((one) => ({ name: one.displayName ?? one.name, at: one.descriptor }));
    return { is: read.isStale ? 'last known' : 'read', channels, at: read.fetchedAt, lacking };
  } catch (error) {
    return { is: failureOf(error), lacking };
  }
}
