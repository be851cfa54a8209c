import type { PairOwner } from '../../store/files/spill.ts';
import { isSameDatabase } from './same-database.ts';

/**
 * Whether a pair in the spill belongs to the present database.
 *
 * The address decides, whoever's folder it is. A pair that its database spilled into its own VAR_DIR goes with that
 * VAR_DIR: the database may have been moved since, or an operator has said that a copy takes its place. A pair that was
 * spilled into the VAR_DIR of another database does not: it belongs to no owner of that folder. A pair without a name is
 * from an older version and belongs to the owner of the folder.
 */
export function isOwnPair(pair: PairOwner | undefined, present: PairOwner): boolean {
  if (pair === undefined) return present.ownsFolder;
  if (pair.instance !== present.instance) return false;
  return isSameDatabase(pair.address, present.address) || (pair.ownsFolder && present.ownsFolder);
}

/**
 * An owner of pairs. Whose folder it is, is looked up where somebody asks: that reads a file, and nearly always the
 * address decides.
 */
export const namedOwner = (
  { instance, address }: Pick<PairOwner, 'instance' | 'address'>,
  isOwnFolder: () => boolean,
): PairOwner => ({
  instance,
  address,
  get ownsFolder() {
    return isOwnFolder();
  },
});

/**
 * The owner of a pair that is claimed now. Whose folder it is, is looked up at once: a take-over may give the folder to
 * another database before the answer comes, and the pair goes with the folder.
 */
export const settledOwner = ({ instance, address, ownsFolder }: PairOwner): PairOwner => ({
  instance,
  address,
  ownsFolder,
});
