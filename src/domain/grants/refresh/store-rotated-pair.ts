import { SECOND } from '../../../shared/lifetimes.ts';
import { findGrant } from '../../../store/grants/grants.ts';
import { storeRotation, UNKNOWN_ANSWER } from '../../../store/grants/presentations.ts';
import type { SpilledPair } from '../../../store/files/spill.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { Grant } from '../../../store/tables/tables.ts';
import type { Context } from '../../context.ts';
import { reviveGrant } from '../revive-grant.ts';
import { retryUntilStored } from '../../work/retry-until-stored.ts';
import { addPendingRevocation, settleSoon } from '../pending-revocations.ts';
import { recordEvent } from '../../history/record-event.ts';
import { openRefreshToken, resealPair } from '../sealed-pair.ts';
import { KeyDropped, requireUsable, withUsableKeys } from '../../keys/retry-after-key-rotation.ts';

/**
 * Keeping a received pair, which exists nowhere else: stored by compare on the version, whoever asked for it; held in
 * memory and in a synced file while the database is away. It revives a grant that was given up because nobody knew of it,
 * and is owed upstream as a revocation where its grant has ended otherwise.
 */

/** A database that says nothing is not waited for with the pair in memory alone. */
const SPILL_AFTER = 2 * SECOND;

/** Only the end of a doubt is history; a routine refresh is not (docs/decisions/0011). */
async function recordRecovery(context: Context, tx: Database, grant: Grant): Promise<void> {
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

async function rotate(context: Context, { grantId, version, pair }: SpilledPair): Promise<boolean> {
  const now = context.clock.now();
  return context.store.transaction(async (tx) => {
    await requireUsable(tx, 'sealing', pair.refreshTokenSealed);
    const grant = await findGrant(tx, grantId);
    // A restored database may be behind the pair, which is the newest there is all the same.
    if (!grant || grant.version > version) return false;
    const next = version + 1;
    // Both compare the version, and the second sees an end that the first one had to wait for.
    if (!(await storeRotation(tx, grant, { ...pair, next, now })))
      return reviveGrant(context, tx, { grant, pair, next });
    await recordRecovery(context, tx, grant);
    return true;
  });
}

/** A newer pair may lie with a machine that is cut off; to revoke an older one could end that one too. */
function mayStillRevive({ dead_cause: cause, version }: Grant, presented: number): boolean {
  return cause !== null && UNKNOWN_ANSWER.includes(cause) && version > presented;
}

/** A pair that came for a grant that has ended must be ended upstream too; beside a live one it is left to expire. */
async function settleSurplus(context: Context, { grantId, version, pair }: SpilledPair): Promise<void> {
  const grant = await findGrant(context.store.durable, grantId);
  if (!grant) throw new Error('the database does not know the grant of this pair');
  // A commit whose answer was lost on the way is found to be done already.
  if (grant.refresh_token_sealed === pair.refreshTokenSealed) return;
  context.logger.warn('a surplus pair came back', { grantId, version });
  if (grant.state !== 'dead' || mayStillRevive(grant, version)) return;
  const received = { ...grant, version: version + 1, refresh_token_sealed: pair.refreshTokenSealed };
  const refreshToken = openRefreshToken(context, received);
  const owe = (tx: Database) => addPendingRevocation(context, tx, { grant, refreshToken });
  await withUsableKeys(context, () => context.store.transaction(owe));
  settleSoon(context);
}

/** A pair that was sealed, or spilled, before its key was dropped: whoever still holds that key seals it anew. */
async function underActiveKey(context: Context, entry: SpilledPair): Promise<SpilledPair> {
  await context.keyring.refresh();
  const row = { id: entry.grantId, version: entry.version + 1 };
  return { ...entry, pair: resealPair(context, row, entry.pair) };
}

/** Stores a pair as far as the database can say; throws its failures. */
async function settlePair(context: Context, entry: SpilledPair): Promise<void> {
  try {
    if (await rotate(context, entry)) return;
  } catch (error) {
    if (!(error instanceof KeyDropped)) throw error;
    return settlePair(context, await underActiveKey(context, entry));
  }
  await settleSurplus(context, entry);
}

/** Spills a pair once; a disk that could not take it is asked again at the next call. */
function createSpilling(context: Context, entry: SpilledPair) {
  let spilled: Promise<boolean> | undefined;
  const write = () =>
    context.spill.write(entry).then(
      () => true,
      (error: unknown) => {
        context.logger.error('ALARM: a pair could not be spilled', { grantId: entry.grantId, error });
        spilled = undefined;
        return false;
      },
    );
  return {
    spill: () => (spilled ??= write()),
    async remove(): Promise<void> {
      if (await spilled) await context.spill.remove(entry);
    },
  };
}

/**
 * Keeps a pair that has just been received; resolves when the database has it. It is spilled as soon as the database
 * refuses it, and also when it only keeps silent.
 */
export async function storeRotatedPair(context: Context, entry: SpilledPair): Promise<void> {
  const spilling = createSpilling(context, entry);
  const timer = setTimeout(() => void spilling.spill(), SPILL_AFTER);
  try {
    await retryUntilStored(context, 'a rotated pair', () =>
      settlePair(context, entry).catch(async (error: unknown) => {
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

async function recover(context: Context, entry: SpilledPair): Promise<void> {
  await settlePair(context, entry);
  await context.spill.remove(entry);
  context.logger.warn('a spilled pair was taken back', { grantId: entry.grantId, version: entry.version });
}

/** Takes back what any process of this machine spilled for a grant; answers whether there was something. */
export async function recoverSpilledPair(context: Context, grantId: string): Promise<boolean> {
  const { entries } = await context.spill.list();
  const own = entries.filter((entry) => entry.grantId === grantId);
  for (const entry of own) await recover(context, entry);
  return own.length > 0;
}

/** Takes back what an earlier process had to spill, and what a database that was away left lying. */
export async function recoverSpilledPairs(context: Context): Promise<void> {
  const { entries, unreadable } = await context.spill.list();
  for (const entry of entries) {
    await recover(context, entry).catch((error: unknown) => {
      context.logger.error('ALARM: a spilled pair cannot be taken back', { grantId: entry.grantId, error });
    });
  }
  if (unreadable.length > 0)
    context.logger.error('ALARM: spilled pairs cannot be read', { files: unreadable });
}
