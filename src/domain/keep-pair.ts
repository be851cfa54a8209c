import { insertEvent } from '../store/events.ts';
import { findGrant } from '../store/grants.ts';
import { storeRotation } from '../store/presentations.ts';
import type { SpilledPair } from '../store/spill.ts';
import type { Database } from '../store/store.ts';
import type { Grant } from '../store/tables.ts';
import type { Context } from './context.ts';
import { insist } from './insist.ts';
import { oweRevocation } from './owe-revocation.ts';
import { openRefreshToken } from './sealed-pair.ts';

/**
 * Keeping a received pair, which exists nowhere else: stored by compare on the version, whoever asked for it; held in
 * memory and in a synced file while the database is away; and owed upstream as a revocation when its grant has ended.
 */

/** Only the end of a doubt is history; a routine refresh is not (design 5). */
async function recordRecovery(tx: Database, grant: Grant, now: number): Promise<void> {
  if (grant.doubt_since === null) return;
  await insertEvent(tx, {
    at: now,
    actor: 'bridge',
    action: 'refresh_recovered',
    client_id: grant.client_id,
    account_id: grant.account_id,
    grant_id: grant.id,
  });
}

async function rotate(context: Context, { grantId, version, pair }: SpilledPair): Promise<boolean> {
  const now = context.clock.now();
  return context.store.transaction(async (tx) => {
    const grant = await findGrant(tx, grantId);
    if (!grant || !(await storeRotation(tx, { id: grantId, version }, { ...pair, now }))) return false;
    await recordRecovery(tx, grant, now);
    return true;
  });
}

/** A pair that came for a grant that has ended must be ended upstream too; beside a live one it is left to expire. */
async function settleSurplus(context: Context, { grantId, version, pair }: SpilledPair): Promise<void> {
  const grant = await findGrant(context.store.durable, grantId);
  // A commit whose answer was lost on the way is found to be done already.
  const isStored = grant?.refresh_token_sealed === pair.refreshTokenSealed;
  if (!grant || isStored) return;
  context.logger.warn('a surplus pair came back', { grantId, version });
  if (grant.state !== 'dead') return;
  const received = { ...grant, version: version + 1, refresh_token_sealed: pair.refreshTokenSealed };
  const refreshToken = openRefreshToken(context, received);
  await context.store.transaction((tx) => oweRevocation(context, tx, { grant, refreshToken }));
}

/** Stores a pair as far as the database can say; throws its failures. */
async function settlePair(context: Context, entry: SpilledPair): Promise<void> {
  if (await rotate(context, entry)) return;
  await settleSurplus(context, entry);
}

async function spillPair(context: Context, entry: SpilledPair): Promise<void> {
  await context.spill.write(entry).catch((error: unknown) => {
    context.logger.error('ALARM: a pair could not be spilled', { grantId: entry.grantId, error });
  });
}

/** Keeps a pair that has just been received; resolves when the database has it. */
export async function keepPair(context: Context, entry: SpilledPair): Promise<void> {
  let meetsTrouble = false;
  const settle = () =>
    settlePair(context, entry).catch(async (error: unknown) => {
      if (!meetsTrouble) await spillPair(context, entry);
      meetsTrouble = true;
      throw error;
    });
  await insist(context, 'a rotated pair', settle);
  context.watch.forget(entry.grantId);
  if (meetsTrouble) await context.spill.remove(entry);
}

async function recover(context: Context, entry: SpilledPair): Promise<void> {
  await settlePair(context, entry);
  await context.spill.remove(entry);
  context.logger.warn('a spilled pair was taken back', { grantId: entry.grantId, version: entry.version });
}

/** Takes back what an earlier process had to spill, and what a database that was away left lying. */
export async function recoverSpilledPairs(context: Context): Promise<void> {
  for (const entry of await context.spill.list()) {
    await recover(context, entry).catch((error: unknown) => {
      context.logger.error('ALARM: a spilled pair cannot be taken back', { grantId: entry.grantId, error });
    });
  }
}
