import { type TokenKey, type TokenOfPair, tokensByPair } from '../../store/cut-over/tokens-by-pair.ts';
import type { Context } from '../context.ts';
import { isKnownThere } from '../tokens/resolve-token.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/** Connected tokens of which the old API answers most calls: those that a cut-over or the retirement can move. */

export type ConnectedToken = TokenOfPair & { modern_client_id: string; scope: string };

/** Tokens of one statement; SQLite does nothing else meanwhile. */
const TOKENS_AT_ONCE = 500;

const isConnected = (token: TokenOfPair): token is ConnectedToken =>
  token.state === 'active' &&
  token.retired_at === null &&
  token.modern_client_id !== null &&
  token.scope !== null &&
  isKnownThere(token);

/** The tokens to look at. */
interface Walk {
  /** Of one app; of all where it is undefined. */
  clientId?: string | undefined;
  /** At most about so many are looked at; all of them where it is undefined. */
  most?: number;
}

/** Gives the connected tokens piece by piece in the order of their accounts. False where there are more to look at. */
export async function eachConnected(
  { store, shutdown }: Pick<Context, 'store' | 'shutdown'>,
  { clientId, most = Number.POSITIVE_INFINITY }: Walk,
  visit: (tokens: ConnectedToken[]) => Promise<void> | void,
): Promise<boolean> {
  let after: TokenKey = { client_id: clientId ?? '', account_id: '', id: '' };
  for (let seen = 0; seen < most; seen += TOKENS_AT_ONCE) {
    const rows = await tokensByPair(store.durable, { after, limit: TOKENS_AT_ONCE, clientId });
    const connected = rows.filter(isConnected);
    if (connected.length > 0) await visit(connected);
    const last = rows.at(-1);
    if (!last || rows.length < TOKENS_AT_ONCE) return true;
    after = last;
    // Who waits for a page is not left without one by a stop.
    await yieldToEventLoop(most === Number.POSITIVE_INFINITY ? shutdown.signal : undefined);
  }
  return false;
}
