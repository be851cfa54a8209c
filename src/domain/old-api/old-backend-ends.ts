import type { MappingWithApp } from '../../store/tokens/mappings.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import type { Origin } from '../origin.ts';
import type { OldApiDeps } from './deps.ts';
import { deauthorize } from '../tokens/deauthorize.ts';
import { oldBackendUntilRetired } from '../lifecycle/old-backend-for.ts';
import { recordEvent } from '../history/record-event.ts';
import type { ServedMapping } from '../tokens/resolve-token.ts';
import { isFromBefore } from '../tokens/standing/from-before.ts';
import { revokeToken } from '../tokens/revoke-token.ts';
import { provenApp } from '../tokens/proven-app.ts';

/** Ends that concern both APIs: an end at the old API ends the token here, and an end here is told to the old API. */

const BY_ITS_APP = { reason: 'the app asked for it' };
const BY_ITS_CALLER = { reason: 'a call with the token asked for it' };

/**
 * The old API has ended a waiting token. With a known account and a proven app, the old API has ended all tokens of the
 * two, and the bridge does the same. A token without a proven app ends alone. While the old API was asked, a consent may have
 * connected the token; then its grant ends with it.
 */
export async function endWaiting(
  context: OldApiDeps,
  mapping: MappingWithApp,
  origin: Origin,
): Promise<void> {
  const accountId = mapping.account_id;
  const clientId = provenApp(mapping);
  if (accountId === null || clientId === undefined) {
    await revokeToken(context, { mappingId: mapping.id, ...origin, reason: 'deauthorized' });
    return;
  }
  return deauthorize(context, { clientId, accountId }, { ...origin, ...BY_ITS_APP });
}

/**
 * Ends a token that a grant serves, at the request of its app. With a proven app, all tokens of the app and account
 * end. Otherwise the token ends alone, and the grant ends with its last token.
 */
export async function endServed(context: OldApiDeps, mapping: ServedMapping, origin: Origin): Promise<void> {
  const { id: mappingId, account_id: accountId } = mapping;
  const clientId = provenApp(mapping);
  if (clientId !== undefined)
    return deauthorize(context, { clientId, accountId }, { ...origin, ...BY_ITS_APP });
  await revokeToken(context, { mappingId, ...origin, ...BY_ITS_CALLER });
}

async function tell(
  context: OldApiDeps,
  { mapping, token }: { mapping: MappingWithApp; token: string },
  origin: Origin,
): Promise<void> {
  const { id: mappingId, client_id: clientId, account_id: accountId } = mapping;
  try {
    await oldBackendUntilRetired(context, provenApp(mapping))?.deauthorize(token, origin.trace);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    context.logger.warn('the end of a token could not be sent to the old API', { mappingId, error });
    const by = { at: context.clock.now(), ...origin, clientId, accountId, mappingId };
    const change = { ...by, action: 'old_backend_not_told', reason: 'the old API did not answer' };
    await context.store.transaction((tx) => recordEvent(context, tx, change));
  }
}

/**
 * Ends a token at the old API too, where the old API may know the token (docs/decisions/0014). No caller waits. A
 * failure is recorded and undoes nothing here.
 */
export function tellOldBackend(
  context: OldApiDeps,
  ended: { mapping: MappingWithApp; token: string },
  origin: Origin,
): void {
  const { mapping } = ended;
  if (!oldBackendUntilRetired(context, provenApp(mapping)) || !isFromBefore(mapping)) return;
  context.flights
    .run(`end at the old API ${mapping.id}`, () => tell(context, ended, origin))
    .catch((error: unknown) => {
      context.logger.warn('the end of a token at the old API could not be recorded', {
        mappingId: mapping.id,
        error,
      });
    });
}
