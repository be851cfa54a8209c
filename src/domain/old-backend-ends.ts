import { moveMapping } from '../store/mappings.ts';
import { isUnidentified } from '../store/observed.ts';
import type { Mapping } from '../store/tables.ts';
import { Unavailable } from '../upstream/outcomes.ts';
import type { Context, Origin } from './context.ts';
import { deauthorize } from './deauthorize.ts';
import { moveOf } from './mapping-state.ts';
import { oldBackendUntilRetired } from './old-backend-for.ts';
import { recordEvent } from './record-event.ts';
import { isFromBefore, type ServedMapping } from './resolve-token.ts';
import { revokeToken } from './revoke-token.ts';

/** Ends that concern both generations: what the old backend ended ends here, and what ends here is told to it. */

const BY_ITS_APP = { reason: 'the app asked for it' };

async function revokeOne(context: Context, mapping: Mapping, origin: Origin): Promise<void> {
  const now = context.clock.now();
  const { id: mappingId, client_id: clientId, account_id: accountId } = mapping;
  const by = { at: now, ...origin, clientId, accountId, mappingId };
  await context.store.transaction(async (tx) => {
    if (!(await moveMapping(tx, mappingId, { ...moveOf('revoked'), reason: 'deauthorized', now }))) return;
    await recordEvent(context, tx, { ...by, action: 'token_revoked', reason: 'deauthorized' });
  });
}

/**
 * The old backend ended a token that waits for its owner. Where its account and app are known it ended all tokens of the
 * two, and so do we; those of an unidentified program may belong to different apps.
 */
export async function endWaiting(context: Context, mapping: Mapping, origin: Origin): Promise<void> {
  const { client_id: clientId, account_id: accountId } = mapping;
  if (accountId === null || (await isUnidentified(context.store.durable, clientId)))
    return revokeOne(context, mapping, origin);
  return deauthorize(context, { clientId, accountId }, { ...origin, ...BY_ITS_APP });
}

/**
 * The app of a token that a grant serves ends it: with all others of the app and account, unless nobody knows which app
 * that is. Then the token ends alone, and the grant with the last one.
 */
export async function endServed(context: Context, mapping: ServedMapping, origin: Origin): Promise<void> {
  const { id: mappingId, client_id: clientId, account_id: accountId } = mapping;
  const ending = { ...origin, ...BY_ITS_APP };
  if (!(await isUnidentified(context.store.durable, clientId)))
    return deauthorize(context, { clientId, accountId }, ending);
  await revokeToken(context, { mappingId, ...ending });
}

async function tell(
  context: Context,
  { mapping, token }: { mapping: Mapping; token: string },
  origin: Origin,
): Promise<void> {
  const { id: mappingId, client_id: clientId, account_id: accountId } = mapping;
  try {
    await oldBackendUntilRetired(context, clientId)?.deauthorize(token);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    context.logger.warn('the old backend could not be told of an end', { mappingId, error });
    const by = { at: context.clock.now(), ...origin, clientId, accountId, mappingId };
    const change = { ...by, action: 'old_backend_not_told', reason: 'it did not answer' };
    await context.store.transaction((tx) => recordEvent(context, tx, change));
  }
}

/**
 * Ends a token at the old backend too, if that may know it (design 5, deauthorize). Nobody waits for it; its failure is
 * recorded and undoes nothing of ours.
 */
export function tellOldBackend(
  context: Context,
  ended: { mapping: Mapping; token: string },
  origin: Origin,
): void {
  const { mapping } = ended;
  if (!oldBackendUntilRetired(context, mapping.client_id) || !isFromBefore(mapping)) return;
  context.flights
    .run(`end at the old backend ${mapping.id}`, () => tell(context, ended, origin))
    .catch((error: unknown) => {
      context.logger.warn('an end at the old backend is not recorded', { mappingId: mapping.id, error });
    });
}
