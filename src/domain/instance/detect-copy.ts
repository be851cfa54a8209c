import type { SeenInstance } from '../../store/instance/instance.ts';
import type { Instance } from '../../store/tables/tables.ts';

/** What shows that a database is not the original that a process began with (docs/decisions/0010). */

export const FINDINGS = {
  other: 'another database replaced the one that this process began with',
  older: 'the database is older than the state that this machine saw before',
  moved: 'the database is a copy of another one, or was moved to another server',
  upgraded:
    'the database holds grants, no bridge has served the database since its upgrade to schema 3, and VAR_DIR/epoch.json remembers another database: this one may be a copy from before the upgrade',
  restored: 'the database was restored from a backup, or was recognised as a copy before',
} as const;

/**
 * The schema from before copies were recognized has no place. So a dump with that schema does not show where it came
 * from.
 */
export const MAY_BE_DUMP =
  'the database holds grants and is opened for the first time since its upgrade to schema 3; if this is a restored dump, mark it as a copy before any bridge starts (docs/operate/backup.md)';

export type CopyFinding = keyof typeof FINDINGS;

/** The facts that one look at the database finds. */
export interface InstanceObservation {
  row: Instance;
  place: string;
  /** Whether the database has live grants and epoch 0, on a machine that remembers another database. */
  isUpgradedCopy: boolean;
}

/** Whether a finding says that this database is a copy. `other` does not: the other database may be sound. */
export function isAboutThis(finding: CopyFinding | undefined): boolean {
  return finding !== undefined && finding !== 'other';
}

/** A role that may not read the server's identifier sees only the number of the database. Then the numbers decide. */
export function isSamePlace(kept: string, present: string): boolean {
  if (kept === '') return true;
  const [[keptServer, keptNumber], [server, number]] = [kept.split('/'), present.split('/')];
  return keptNumber === number && (!keptServer || !server || keptServer === server);
}

/** The problem of a database, for a process that knew `known` before the look. */
export function judge(
  { row, place, isUpgradedCopy }: InstanceObservation,
  known: SeenInstance,
): CopyFinding | undefined {
  if (row.id !== known.id) return 'other';
  if (row.epoch < known.epoch) return 'older';
  if (!isSamePlace(row.place, place)) return 'moved';
  if (isUpgradedCopy) return 'upgraded';
  return row.state === 'copy' ? 'restored' : undefined;
}

/** Whether the database shows no problem. */
export function isSound(sight: InstanceObservation): boolean {
  return judge(sight, sight.row) === undefined;
}

/** Whether the present place is more complete than the stored place. */
export function isFuller(place: string, kept: string): boolean {
  if (kept === '') return place !== '';
  return kept.startsWith('/') && !place.startsWith('/');
}

/** Why a copy on another server might not be recognized; undefined where such a copy would be recognized. */
export function findPlaceProblem(place: string): string | undefined {
  if (!place.startsWith('/')) return undefined;
  return 'the role of DATABASE_URL may not read pg_control_system(), so the bridge may not recognise a copy on another server: grant execute on function pg_control_system() to that role';
}
