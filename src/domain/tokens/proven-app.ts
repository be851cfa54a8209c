import type { FoundMapping } from '../../store/tokens/mappings.ts';
import type { Takers } from '../../upstream/concurrency-limit.ts';

/**
 * Which app a token belongs to, as far as that is proven: the bridge issued the token, an import or support named the app,
 * or a consent of the holder listed the token. A `client_id` or a user agent of a call proves nothing.
 */

type Evidence = Pick<FoundMapping, 'id' | 'client_id' | 'source' | 'app_source' | 'app_proven'>;

/** The app in whose name a token acts, and whose dates count for it; undefined while nobody has proven that app. */
export function provenApp(mapping: Omit<Evidence, 'id'>): string | undefined {
  if (mapping.app_source === 'observed') return undefined;
  return mapping.source === 'observed' && mapping.app_proven === 0 ? undefined : mapping.client_id;
}

/** Whom the history names for what a call with a token did: the app, or the token alone. */
export function actorOf(mapping: Evidence): string {
  const clientId = provenApp(mapping);
  return clientId === undefined ? `token:${mapping.id}` : `app:${clientId}`;
}

/** Who shares places by a call: an app and its account. A token whose app nobody has proven has a share of its own. */
export function takersOf(mapping: Evidence & Pick<FoundMapping, 'account_id'>): Takers {
  const clientId = provenApp(mapping);
  if (clientId === undefined) return [`token ${mapping.id}`];
  return [`app ${clientId}`, `account ${clientId} ${mapping.account_id ?? mapping.id}`];
}
