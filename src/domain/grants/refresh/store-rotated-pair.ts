import { MINUTE, SECOND } from '../../../shared/lifetimes.ts';
import { KeyMissing, keyIdOf, Unreadable } from '../../../shared/secrets.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import { findGrant, findRotating, type RotatingGrant } from '../../../store/grants/grants.ts';
import { holdInDoubt } from '../../../store/grants/hold-in-doubt.ts';
import { storeRotation, UNKNOWN_ANSWER } from '../../../store/grants/presentations.ts';
import type { PairOwner, SpilledPair, WaitingPair } from '../../../store/files/spill.ts';
import { grantOfName, loggedSpillName } from '../../../store/files/spill-name.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { Grant, GrantVersion } from '../../../store/tables/tables.ts';
import type { GrantsDeps } from '../deps.ts';
import { reviveGrant } from '../revive-grant.ts';
import { inOwnDatabase } from '../../instance/own-database.ts';
import { retryUntilStored } from '../../work/retry-until-stored.ts';
import { addPendingRevocation, settleSoon } from '../pending-revocations.ts';
import { recordEvent } from '../../history/record-event.ts';
import { openRefreshToken, resealPair } from '../sealed-pair.ts';
import { splitByOwner, tellLeft, tellStray } from './spill-owners.ts';
import { tellSettled } from './tell-settled.ts';
import { KeyDropped, requireUsableKey, withUsableKeys } from '../../keys/retry-after-key-rotation.ts';

/**
 * Stores a received pair, which exists nowhere else. The pair is stored by compare on the version, whichever process
 * asked for it. While the database is away, the pair is held in memory and in a synced file. The pair revives a grant
 * that was given up because its answer was unknown. If the grant has ended for another cause, the revocation of the
 * pair is ordered.
 */

/** After this time without an answer from the database, the pair is also written to the spill. */
const SPILL_AFTER = 2 * SECOND;

/** A pair that names its database. */
type ReceivedPair = SpilledPair & { owner: PairOwner };

/** Only the end of a doubt is history. A routine refresh is not (docs/decisions/0011). */
async function recordRecovery(context: GrantsDeps, tx: Database, grant: RotatingGrant): Promise<void> {
  if (grant.doubt_since === null) return;
  await recordEvent(context, tx, {
    at: context.clock.now(),
    actor: 'bridge',
    action: 'refresh_recovered',
    reason: 'a whole pair came',
    clientId: grant.client_id,
    accountId: grant.account_id,
    grantId: grant.id,
  });
}

interface Attempts {
  /**
   * The grant as the last attempt found it that stored the pair. The answer to its commit may be lost, and the next attempt finds
   * the pair stored. Undefined for a grant that had ended: its doubt was told as settled before.
   */
  rotated?: RotatingGrant | undefined;
}

function tellRenewed(context: GrantsDeps, { rotated }: Attempts): void {
  if (rotated) tellSettled(context, rotated, 'renewed');
}

async function rotate(
  context: GrantsDeps,
  { grantId, version, pair, owner }: SpilledPair,
  attempts: Attempts,
): Promise<boolean> {
  const now = context.clock.now();
  const isStored = await inOwnDatabase(context, owner, async (tx) => {
    await requireUsableKey(tx, 'sealing', pair.refreshTokenSealed);
    const grant = await findRotating(tx, grantId);
    // A restored database may be older than the pair. The pair is still the newest.
    if (!grant || grant.version > version) return false;
    const next = version + 1;
    attempts.rotated = undefined;
    // Both updates compare the version. If the first update had to wait while the grant was ended, the second update
    // sees this.
    if (!(await storeRotation(tx, grant, { next, now, ...pair })))
      return reviveGrant(context, tx, { grant, pair, next });
    await recordRecovery(context, tx, grant);
    attempts.rotated = grant;
    return true;
  });
  if (isStored) tellRenewed(context, attempts);
  return isStored;
}

/** A machine that is cut off may hold a newer pair. Revoking an older pair could end the newer pair too. */
function mayStillRevive({ dead_cause: cause, version }: Grant, presented: number): boolean {
  return cause !== null && UNKNOWN_ANSWER.includes(cause) && version > presented;
}

/** Orders the revocation of a surplus pair where one is due, in the caller's transaction. */
async function oweSurplus(
  context: GrantsDeps,
  tx: Database,
  { grantId, version, pair }: SpilledPair,
): Promise<'stored' | 'left' | 'owed'> {
  const grant = await findGrant(tx, grantId);
  if (!grant) throw new Error('the database does not know the grant of this pair');
  // An earlier commit stored the pair, but its answer was lost.
  if (grant.refresh_token_sealed === pair.refreshTokenSealed) return 'stored';
  if (grant.state !== 'dead' || mayStillRevive(grant, version)) return 'left';
  const received = { ...grant, version: version + 1, refresh_token_sealed: pair.refreshTokenSealed };
  await addPendingRevocation(context, tx, { grant, refreshToken: openRefreshToken(context, received) });
  return 'owed';
}

/**
 * Handles a pair that the grant did not take. If the grant has ended, the pair must be revoked at the new API. If the
 * grant is live, the pair is left to expire.
 */
async function settleSurplus(context: GrantsDeps, entry: SpilledPair, attempts: Attempts): Promise<void> {
  const { grantId, version, owner } = entry;
  const settle = (tx: Database) => oweSurplus(context, tx, entry);
  const outcome = await withUsableKeys(context, () => inOwnDatabase(context, owner, settle));
  if (outcome === 'stored') return tellRenewed(context, attempts);
  context.logger.warn('a surplus pair came back', { grantId, version });
  if (outcome === 'owed') settleSoon(context);
}

/**
 * Seals a pair again whose key was dropped in the meantime. This needs a process that still holds the dropped key.
 * @throws {KeyMissing} this machine lacks the key that is active now, so the pair waits in the spill
 */
async function underActiveKey(context: GrantsDeps, entry: SpilledPair): Promise<SpilledPair> {
  await context.keyring.refresh();
  const row = { id: entry.grantId, version: entry.version + 1 };
  const pair = resealPair(context, row, entry.pair);
  const id = keyIdOf(pair.refreshTokenSealed);
  if (id === keyIdOf(entry.pair.refreshTokenSealed))
    throw new KeyMissing(
      `KEYS_FILE lacks the active sealing key, and ${id}, which is used here, was dropped`,
    );
  return { ...entry, pair };
}

/** Stores a pair, or handles it as surplus. Throws the failures of the database, and where the database is not the pair's. */
async function settlePair(context: GrantsDeps, entry: SpilledPair, attempts: Attempts = {}): Promise<void> {
  try {
    if (await rotate(context, entry, attempts)) return;
  } catch (error) {
    if (!(error instanceof KeyDropped)) throw error;
    return settlePair(context, await underActiveKey(context, entry), attempts);
  }
  await settleSurplus(context, entry, attempts);
}

/** Spills a pair under the name of its database, and tells where a start with the right VAR_DIR would not find it. */
async function spillNamed(context: GrantsDeps, entry: ReceivedPair): Promise<SpilledPair> {
  await context.spill.write(entry);
  if (!entry.owner.ownsFolder) tellStray(context, entry);
  return entry;
}

/** Spills a pair once. After a failure of the disk the next call tries again. */
function createSpilling(context: GrantsDeps, received: ReceivedPair) {
  let spilled: Promise<SpilledPair | undefined> | undefined;
  const write = () =>
    spillNamed(context, received).catch((error: unknown) => {
      context.logger.error('ALARM: a pair could not be spilled', { grantId: received.grantId, error });
      spilled = undefined;
      return undefined;
    });
  return {
    spill: () => (spilled ??= write()),
    async remove(): Promise<void> {
      const entry = await spilled;
      if (entry) await context.spill.remove(entry);
    },
  };
}

/**
 * Stores a pair that was just received; resolves when the database has the pair. The pair is spilled as soon as the
 * database refuses it, or does not answer in time. The pair waits for the database that has its claim: while the address leads to
 * another one, or to a silent copy, that one gets nothing and the file stays.
 */
export async function storeRotatedPair(context: GrantsDeps, received: SpilledPair): Promise<void> {
  // Named before the database is asked: the address may lead elsewhere, and a later name would be of that one.
  const entry = { ...received, owner: received.owner ?? context.instance.pairOwner() };
  const spilling = createSpilling(context, entry);
  const attempts: Attempts = {};
  const timer = setTimeout(() => void spilling.spill(), SPILL_AFTER);
  try {
    await retryUntilStored(context, 'a rotated pair', () =>
      settlePair(context, entry, attempts).catch(async (error: unknown) => {
        await spilling.spill();
        throw error;
      }),
    );
  } finally {
    clearTimeout(timer);
  }
  context.watch.forget(entry.grantId);
  await spilling.remove();
}

async function recover(context: GrantsDeps, entry: WaitingPair): Promise<void> {
  await settlePair(context, entry);
  await context.spill.remove(entry);
  context.logger.warn('a spilled pair was taken back', { grantId: entry.grantId, version: entry.version });
}

/** Whether a file whose content cannot be read may hold a pair for this version or a later one, as its name tells. */
const mayHoldPairOf =
  ({ id, version }: GrantVersion) =>
  (file: string): boolean => {
    const named = grantOfName(file);
    return named?.id === id && named.version >= version;
  };

/**
 * Stores the pairs of a grant that any process of this database spilled into this folder. Returns whether there were any.
 * @throws {Unavailable} another database presented this version or a later one and its pair waits here: a copy has the
 * same grants, and presenting again could end the only pair of the original. A pair for an earlier version says nothing
 * of this one.
 * @throws {Unreadable} a file that may hold the pair cannot be read. It is no proof that there is none.
 */
export async function recoverSpilledPair(
  context: GrantsDeps,
  { id, version }: GrantVersion,
): Promise<boolean> {
  const { entries, unreadable } = await context.spill.list();
  const { own, left } = splitByOwner(
    context,
    entries.filter(({ grantId }) => grantId === id),
  );
  for (const entry of own) await recover(context, entry);
  if (own.length > 0) return true;
  if (left.some((entry) => entry.version >= version))
    throw new Unavailable('a pair of this grant waits in VAR_DIR for another database');
  if (unreadable.some(mayHoldPairOf({ id, version })))
    throw new Unreadable('a spilled pair of this grant cannot be read');
  return false;
}

/** Many turns of the work that holds, so that one that is missed ends no hold. */
const HOLD = 2 * MINUTE;

/**
 * Holds grants in doubt while files that cannot be read may have their pairs. Other machines have no such file: they would
 * present the refresh token again, or end the grant.
 */
async function holdGrantsOf(context: GrantsDeps, files: readonly string[]): Promise<void> {
  if (context.instance.isCopy()) return;
  const until = context.clock.now() + HOLD;
  for (const named of files.map(grantOfName))
    if (named) await holdInDoubt(context.store.durable, named, until);
}

/** The same for the files that are there now. A grant that comes to be in doubt is held long before its quiet time is over. */
export async function holdUnreadable(context: GrantsDeps): Promise<void> {
  const { unreadable } = await context.spill.list();
  await holdGrantsOf(context, unreadable);
}

async function tellUnreadable(context: GrantsDeps, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  context.logger.error('ALARM: spilled pairs cannot be read', { files: files.map(loggedSpillName) });
  await holdGrantsOf(context, files);
}

/**
 * Stores the pairs in the spill, left by earlier processes or by an outage of the database. Leaves the pairs of other
 * databases alone, and tells of them.
 */
export async function recoverSpilledPairs(context: GrantsDeps): Promise<void> {
  const { entries, unreadable } = await context.spill.list();
  const { own, left } = splitByOwner(context, entries);
  tellLeft(context, left);
  // A silent copy takes no pair. Its original may come back and has no other way to the pair.
  for (const entry of context.instance.isCopy() ? [] : own) {
    await recover(context, entry).catch((error: unknown) => {
      const { grantId } = entry;
      const file = loggedSpillName(entry.file);
      context.logger.error('ALARM: a spilled pair cannot be taken back', { grantId, file, error });
    });
  }
  await tellUnreadable(context, unreadable);
}
