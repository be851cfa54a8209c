import type { SpilledPair, WaitingPair } from '../../../store/files/spill.ts';
import { loggedSpillName, spillName } from '../../../store/files/spill-name.ts';
import { isOwnPair } from '../../instance/pair-owner.ts';
import type { GrantsDeps } from '../deps.ts';

/** The pairs of several databases may lie in one spill. Each process takes those of its own database. */

/** The pairs of the present database, and those that are left to other databases. */
export function splitByOwner(
  { instance }: Pick<GrantsDeps, 'instance'>,
  entries: readonly WaitingPair[],
): Record<'own' | 'left', WaitingPair[]> {
  if (entries.length === 0) return { own: [], left: [] };
  const present = instance.presentOwner();
  const isOwn = ({ owner }: WaitingPair) => isOwnPair(owner, present);
  return { own: entries.filter(isOwn), left: entries.filter((entry) => !isOwn(entry)) };
}

type SpillDeps = Pick<GrantsDeps, 'spill' | 'logger'>;

const STRAY_REMEDY =
  'let this process run until the database takes the pair, or move the file into the folder spill of the VAR_DIR of this database';

/** No start with the right VAR_DIR finds the pair, so a person must know where the pair is. */
export function tellStray({ spill, logger }: SpillDeps, entry: SpilledPair): void {
  const { grantId, version, owner } = entry;
  logger.error('ALARM: a pair was spilled into the VAR_DIR of another database', {
    grantId,
    version,
    folder: spill.folder,
    file: loggedSpillName(spillName(entry)),
    database: owner?.address,
    remedy: STRAY_REMEDY,
  });
}

const LEFT_REMEDY =
  'the owner of this VAR_DIR takes its own pairs. Move the others into the folder spill of the VAR_DIR of the database that they name';

const ofOwner = 'the owner of this VAR_DIR';

/** Tells once of each pair that waits for another database. */
export function tellLeft({ spill, logger }: SpillDeps, left: readonly WaitingPair[]): void {
  const fresh = left.filter(({ file }) => spill.isNew(file));
  if (fresh.length === 0) return;
  logger.warn('spilled pairs of another database wait in this VAR_DIR, the bridge leaves them alone', {
    folder: spill.folder,
    files: fresh.map(({ file }) => loggedSpillName(file)),
    databases: [...new Set(fresh.map(({ owner }) => owner?.address ?? ofOwner))],
    remedy: LEFT_REMEDY,
  });
}
