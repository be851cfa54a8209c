import type { LiveDeps } from './deps.ts';
import { type AppAccess, accessTo } from '../apps/app-access.ts';
import { findRegisteredApp } from '../apps/register-app.ts';
import { tokensOfPair } from '../tokens/tokens-of-account.ts';
import type { LiveScope } from './read-live.ts';

/** The calls of an app that a person may see. */
export interface LiveView extends LiveScope {
  app: NonNullable<Awaited<ReturnType<typeof findRegisteredApp>>>;
  /** What the person may do on the pages of the app; undefined for a holder who sees the own calls alone. */
  access: AppAccess | undefined;
}

/**
 * The owner of an app, and the contacts with whom it is shared, see every call. A holder of tokens sees the calls with these tokens. Undefined for any other
 * account: the app does not exist for that account.
 */
export async function liveViewOf(
  context: LiveDeps,
  { clientId, ...person }: { clientId: string; accountId: string; email: string },
): Promise<LiveView | undefined> {
  const app = await findRegisteredApp(context, clientId);
  if (!app) return undefined;
  const access = await accessTo(context, app, person);
  if (access) return { clientId, app, access, accountId: undefined };
  const { accountId } = person;
  const own = await tokensOfPair(context, { clientId, accountId });
  return own && { clientId, app, access, accountId };
}
