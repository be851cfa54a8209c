import { asStorageFault } from '../../store/driver/storage-fault.ts';
import type { Database } from '../../store/driver/store.ts';
import type { PairOwner } from '../../store/files/spill.ts';
import { readInstanceHere, type SeenInstance } from '../../store/instance/instance.ts';
import type { InstanceDeps } from './deps.ts';
import { judge } from './detect-copy.ts';
import { isOwnPair } from './pair-owner.ts';

/**
 * The last look of the watch may be a second old, and older while looks fail. In between the address may have led to a
 * copy. So work on a pair reads the place on its own connection, in its own transaction.
 */

type GuardDeps = Pick<InstanceDeps, 'instance' | 'store'>;

interface PairGuard {
  owner: PairOwner | undefined;
  /** As it was seen before the transaction: afterwards the epoch may be higher than the transaction sees. */
  known: SeenInstance;
}

async function findFault(
  { instance, store }: GuardDeps,
  tx: Database,
  { owner, known }: PairGuard,
): Promise<string | undefined> {
  const { row, place } = await readInstanceHere(tx, store.placeExpression());
  // `upgraded` is a finding that only a look can make.
  if (instance.isCopy() || judge({ row, place, isUpgradedCopy: false }, known) !== undefined)
    return 'the database is a copy, which takes no pair';
  return isOwnPair(owner, instance.ownerAt(place)) ? undefined : 'the pair belongs to another database';
}

/**
 * Runs work on a pair in one transaction of the database that the pair belongs to.
 * @throws {Error} marked as a failure of the database, so that the work is repeated: the address of the settings leads
 * to another database or to a silent copy, whose original has the claim of the pair. Nothing was changed.
 */
export async function inOwnDatabase<T>(
  context: GuardDeps,
  owner: PairOwner | undefined,
  work: (tx: Database) => Promise<T>,
): Promise<T> {
  const known = context.instance.seen();
  return context.store.transaction(async (tx) => {
    const fault = await findFault(context, tx, { owner, known });
    if (fault !== undefined) throw asStorageFault(new Error(fault));
    return work(tx);
  });
}
