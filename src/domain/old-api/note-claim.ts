import type { FoundMapping } from '../../store/tokens/mappings.ts';
import { isIdentifiedApp } from '../../store/tokens/observed.ts';
import { keepClaim } from '../../store/tokens/claims.ts';
import type { Context } from '../context.ts';
import { recordEvent } from '../history/record-event.ts';
import { provenApp } from '../tokens/proven-app.ts';

/** The app that a call names, kept beside a token of which no app is proven. Anybody may name an app. */

/** What a call says of its app. */
interface NamedApp {
  clientId: string | undefined;
  requestId: string;
}

/** What the history says of a claim. */
export const claimReason = (clientId: string) => `a call named the app ${clientId}, which proves nothing`;

/** Keeps the first app that is named. The first alone, so that calls cannot make the bridge write again and again. */
export async function noteClaim(
  context: Context,
  mapping: FoundMapping,
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
