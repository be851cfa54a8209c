import type { MappingWithApp } from '../../store/tokens/mappings.ts';
import { isIdentifiedApp } from '../../store/tokens/observed.ts';
import { keepClaim } from '../../store/tokens/claims.ts';
import type { OldApiDeps } from './deps.ts';
import { recordEvent } from '../history/record-event.ts';
import { provenApp } from '../tokens/proven-app.ts';

/** Stores the app that a call names, beside a token without a proven app. Anybody may name an app. */

/** The app that a call names. */
interface NamedApp {
  clientId: string | undefined;
  requestId: string;
}

/** The reason of a claim in the history. */
export const claimReason = (clientId: string) => `a call named the app ${clientId}, which proves nothing`;

/**
 * Stores only the first app that a call names, so that calls cannot make the bridge write again and again.
 */
export async function noteClaim(
  context: OldApiDeps,
  mapping: MappingWithApp,
  { clientId, requestId }: NamedApp,
): Promise<void> {
  if (mapping.source !== 'observed' || mapping.claimed_client_id !== null) return;
  if (clientId === undefined || provenApp(mapping) !== undefined) return;
  if (!(await isIdentifiedApp(context.store.durable, clientId))) return;
  const { id: mappingId, client_id, account_id: accountId } = mapping;
  const now = context.clock.now();
  const by = { at: now, actor: `token:${mappingId}`, requestId, clientId: client_id, accountId, mappingId };
  await context.store.transaction(async (tx) => {
    if (await keepClaim(tx, { mappingId, clientId, now }))
      await recordEvent(context, tx, { ...by, action: 'app_claimed', reason: claimReason(clientId) });
  });
}
