import { CALLER_WAIT, LEARN_PATIENCE, SECOND } from '../../shared/lifetimes.ts';
import { findModernId, findPairs } from '../../store/accounts/id-pairs.ts';
import { lookUpPublishedIds, type PublishedId } from '../../store/accounts/published-ids.ts';
import type { AccountReading } from '../../upstream/main-api.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import type { IdsDeps } from './deps.ts';
import { type Caller, matchIds } from './match-ids.ts';
import { oldBackendUntilRetired } from '../lifecycle/old-backend-for.ts';
import { withTimeout } from '../work/with-timeout.ts';
import { isKnownThere } from '../tokens/standing/from-before.ts';
import { type ModernIdRef, modernIdsOf, nameOf, recall, remember, tell } from './publish-ids.ts';
import { provenApp } from '../tokens/proven-app.ts';

/**
 * The ids by which an app is told of profiles and accounts (docs/decisions/0016). Old integrations have stored ids. So
 * an app gets the same id for ever. For an id that the app was not told yet, a pair decides; without a pair the old id
 * equals the new id.
 */

/** The ids for one app. */
export interface LegacyIds {
  account: string;
  /** By new id. Every channel of the reading has an entry. */
  profiles: ReadonlyMap<string, string>;
}

function everyId({ account, channels }: AccountReading): ModernIdRef[] {
  return [
    { kind: 'account', modernId: account.id },
    ...channels.map(({ id }) => ({ kind: 'profile', modernId: id }) as const),
  ];
}

/** The entries of `wanted` that are missing in `found`. */
function without<T extends ModernIdRef>(wanted: readonly T[], found: readonly ModernIdRef[]): T[] {
  const names = new Set(found.map(nameOf));
  return wanted.filter((one) => !names.has(nameOf(one)));
}

/**
 * Asks the old API for the ids that no pair tells. Meanwhile no id is told: a new id that was told could never be taken
 * back. The wait for the old API ends LEARN_PATIENCE after the token was mapped, because the old API may be gone for
 * good.
 */
async function learnMissing(context: IdsDeps, caller: Caller, reading: AccountReading): Promise<void> {
  const { id, client_id: clientId, account_id: accountId, updated_at: mappedAt } = caller.mapping;
  // One flight for each token: the old API may refuse another token of the same app and account.
  const flight = context.flights.run(`learn ids ${id}`, () => matchIds(context, caller, reading));
  try {
    await withTimeout(flight, CALLER_WAIT / 2);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    // A copy asks neither API, and an id that a copy tells would hold after the take-over.
    if (context.instance.isCopy() || context.clock.now() - mappedAt < LEARN_PATIENCE) {
      const retryAfter = error.retryAfter ?? 5 * SECOND;
      throw new Unavailable('the ids of the old API are not known yet', {
        cause: error,
        retryAfter,
      });
    }
    context.logger.warn('the old API does not answer, so an app gets ids of the new API', {
      clientId,
      accountId,
      error,
    });
  }
}

/** The ids that this process does not remember: ids that the app was told before, and ids that are told from now on. */
async function lookUp(
  context: IdsDeps,
  { caller, reading }: { caller: Caller; reading: AccountReading },
  unknown: readonly ModernIdRef[],
): Promise<PublishedId[]> {
  const { mapping } = caller;
  const told = await lookUpPublishedIds(context.store, mapping.client_id, modernIdsOf(unknown));
  const untold = without(unknown, told);
  if (untold.length === 0) return told;
  if (oldBackendUntilRetired(context, provenApp(mapping)) && isKnownThere(mapping)) {
    const pairs = await findPairs(context.store.durable, modernIdsOf(untold));
    if (without(untold, pairs).length > 0) await learnMissing(context, caller, reading);
  }
  return [...told, ...(await tell(context, mapping.client_id, untold))];
}

/**
 * The ids by which the caller's app is told of an account and its channels. They are stored before they are sent
 * (publish-ids.ts).
 * @throws {Unavailable} the old API has to be asked first and does not answer, soon after the token was mapped
 */
export async function legacyIds(
  context: IdsDeps,
  caller: Caller,
  reading: AccountReading,
): Promise<LegacyIds> {
  const clientId = caller.mapping.client_id;
  const wanted = everyId(reading);
  // Read at once: ids that are told now may push these out of the memory.
  const ids = new Map(wanted.map((one) => [nameOf(one), recall(context, clientId, one)]));
  const unknown = wanted.filter((one) => ids.get(nameOf(one)) === undefined);
  const told = unknown.length === 0 ? [] : await lookUp(context, { caller, reading }, unknown);
  remember(context, clientId, told);
  for (const one of told) ids.set(nameOf(one), one.toldId);
  const idOf = (known: ModernIdRef): string => {
    const id = ids.get(nameOf(known));
    if (id === undefined) throw new Error(`no id was told of the ${nameOf(known)}`);
    return id;
  };
  return {
    account: idOf({ kind: 'account', modernId: reading.account.id }),
    profiles: new Map(
      reading.channels.map(({ id }) => [id, idOf({ kind: 'profile', modernId: id })] as const),
    ),
  };
}

/**
 * The new id of the channel that an app means. The app may use the id that it was told, the new id, or the old id.
 * Undefined where none of the channels has the id.
 */
export async function meantChannel(
  context: IdsDeps,
  { profiles }: LegacyIds,
  given: string,
): Promise<string | undefined> {
  const told = [...profiles].find(([, toldId]) => toldId === given);
  if (told) return told[0];
  if (profiles.has(given)) return given;
  const modernId = await findModernId(context.store.durable, 'profile', given);
  return modernId !== undefined && profiles.has(modernId) ? modernId : undefined;
}
