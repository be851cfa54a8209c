import type { Context } from '../context.ts';
import { findRegisteredApp } from '../apps/register-app.ts';
import { tokensOfPair } from '../tokens/tokens-of-account.ts';
import type { Seen } from './read-live.ts';

/** What a person may see of an app's calls. */
export interface LiveView extends Seen {
  name: string;
}

/**
 * The owner sees every call, whoever has a token of the app those with the own tokens; undefined for anybody else, to whom
 * the app is one that is not there.
 */
export async function liveViewOf(
  context: Context,
  { clientId, accountId }: { clientId: string; accountId: string },
): Promise<LiveView | undefined> {
  const app = await findRegisteredApp(context, clientId);
  if (!app) return undefined;
  if (app.owner_account_id === accountId) return { clientId, name: app.name, accountId: undefined };
  const own = await tokensOfPair(context, { clientId, accountId });
  return own && { clientId, name: app.name, accountId };
}
