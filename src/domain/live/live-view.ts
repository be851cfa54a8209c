import type { LiveDeps } from './deps.ts';
import { findRegisteredApp } from '../apps/register-app.ts';
import { tokensOfPair } from '../tokens/tokens-of-account.ts';
import type { LiveScope } from './read-live.ts';

/** The calls of an app that a person may see. */
export interface LiveView extends LiveScope {
  name: string;
}

/**
 * The owner of an app sees every call. A holder of tokens sees the calls with these tokens. Undefined for any other
 * account: the app does not exist for that account.
 */
export async function liveViewOf(
  context: LiveDeps,
  { clientId, accountId }: { clientId: string; accountId: string },
): Promise<LiveView | undefined> {
  const app = await findRegisteredApp(context, clientId);
  if (!app) return undefined;
  if (app.owner_account_id === accountId) return { clientId, name: app.name, accountId: undefined };
  const own = await tokensOfPair(context, { clientId, accountId });
  return own && { clientId, name: app.name, accountId };
}
