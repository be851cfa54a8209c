import { keepOldApiRefusal } from '../../store/tokens/refused-there.ts';
import type { OldApiDeps } from './deps.ts';
import { recordEvent } from '../history/record-event.ts';
import type { ServedMapping } from '../tokens/resolve-token.ts';

/**
 * The old API has refused a token that a grant serves. The bridge stores the refusal for good: no process passes a call
 * of this token to the old API again. An old API that accepts the token later does not bring back lists that the caller
 * has left.
 */
export async function leaveOldApi(
  context: OldApiDeps,
  mapping: ServedMapping,
  requestId: string,
): Promise<void> {
  const now = context.clock.now();
  const { id: mappingId, client_id: clientId, account_id: accountId } = mapping;
  const by = { at: now, actor: 'bridge', requestId, clientId, accountId, mappingId };
  await context.store.transaction(async (tx) => {
    if (!(await keepOldApiRefusal(tx, mappingId, now))) return;
    const reason = 'the old API refuses this token, so that the new API answers all its calls';
    await recordEvent(context, tx, { ...by, action: 'token_refused_there', reason });
  });
}
