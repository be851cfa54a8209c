import { type AppTokenFilter, listTokens } from '../../store/tokens/app-tokens.ts';
import { listMappingIds } from '../../store/tokens/mapping-ids.ts';
import { usageOf } from '../usage/usage.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { type AppToken, TOKEN_USAGE_DAYS, withUsage } from './app-tokens.ts';
import type { TokensDeps } from './deps.ts';

/** Every token of an app, or of one account at the app, for a file. */

/** Tokens that are read at once. SQLite holds up the process while a statement runs. */
const PIECE = 100;

/**
 * The tokens in pieces, in the order of their ids. The process serves other work between two pieces, and holds one piece
 * at a time, however many tokens there are.
 */
export async function* tokensInPieces(context: TokensDeps, of: AppTokenFilter): AsyncGenerator<AppToken[]> {
  let after = '';
  for (;;) {
    const ids = await listMappingIds(context.store.durable, of, { after, limit: PIECE });
    if (ids.length === 0) return;
    after = ids.at(-1) ?? after;
    const rows = await listTokens(context.store.durable, ids);
    await yieldToEventLoop();
    yield withUsage(ids, rows, await usageOf(context, ids, { days: TOKEN_USAGE_DAYS }));
    await yieldToEventLoop();
  }
}
