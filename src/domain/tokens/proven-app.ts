import type { MappingWithApp } from '../../store/tokens/mappings.ts';
import type { Takers } from '../../upstream/concurrency-limit.ts';

/**
 * The app of a token, as far as the app is proven: the bridge issued the token, an import or support named the app, or
 * a consent of the account holder listed the token. A `client_id` or a user agent of a call proves nothing.
 */

type Evidence = Pick<MappingWithApp, 'id' | 'client_id' | 'source' | 'app_source' | 'app_proven'>;

/** The app that a token acts for, and whose dates count for the token; undefined while no app is proven. */
export function provenApp(mapping: Omit<Evidence, 'id'>): string | undefined {
  if (mapping.app_source === 'observed') return undefined;
  return mapping.source === 'observed' && mapping.app_proven === 0 ? undefined : mapping.client_id;
}

/** The actor in the history for a call with a token: the proven app, or else the token alone. */
export function actorOf(mapping: Evidence): string {
  const clientId = provenApp(mapping);
  return clientId === undefined ? `token:${mapping.id}` : `app:${clientId}`;
}

/**
 * Who takes a place in a concurrency limit with a call: the app, and the account within the app. A token without a
 * proven app has a share of its own.
 */
export function takersOf(mapping: Evidence & Pick<MappingWithApp, 'account_id'>): Takers {
  const clientId = provenApp(mapping);
  if (clientId === undefined) return [`token ${mapping.id}`];
  return [`app ${clientId}`, `account ${clientId} ${mapping.account_id ?? mapping.id}`];
}
