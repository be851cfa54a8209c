import { type TokenKey, type TokenOfPair, tokensByPair } from '../../store/cut-over/tokens-by-pair.ts';
import type { CutOverDeps } from './deps.ts';
import { isKnownThere } from '../tokens/standing/from-before.ts';
import { restForCalls, yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/** Connected tokens whose calls the old API mostly answers: the tokens that a cut-over or the retirement can move. */

export type ConnectedToken = TokenOfPair & { modern_client_id: string; scope: string };

/** Tokens in one statement. SQLite does no other work during the statement. */
const TOKENS_AT_ONCE = 500;

const isConnected = (token: TokenOfPair): token is ConnectedToken =>
  token.state === 'active' &&
  token.retired_at === null &&
  token.modern_client_id !== null &&
  token.scope !== null &&
  isKnownThere(token);

/** The tokens to look at. */
interface TokenSelection {
  /** The app whose tokens are walked; undefined for all apps. */
  clientId?: string | undefined;
  /** The approximate number of tokens to look at; undefined for all tokens. */
  most?: number;
}

/** Calls `visit` with pieces of connected tokens, in the order of accounts. Returns false where more tokens remain. */
export async function eachConnected(
  { store, shutdown }: Pick<CutOverDeps, 'store' | 'shutdown'>,
  { clientId, most = Number.POSITIVE_INFINITY }: TokenSelection,
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
    // A bounded walk serves a page that a person waits for, therefore it neither rests nor ends with a shutdown.
    await (most === Number.POSITIVE_INFINITY ? restForCalls(shutdown.signal) : yieldToEventLoop());
  }
  return false;
}
