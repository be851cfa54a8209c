import type { SeenInstance } from '../../store/instance/instance.ts';
import type { Instance } from '../../store/tables/tables.ts';

/** What shows that a database is not the original that a process began with (docs/decisions/0010). */

export const FINDINGS = {
  other: 'another database came into the place of the one that this process began with; start it again',
  older: 'the database is older than this machine has seen it before',
  moved: 'the database is a copy of another one, or was moved to another server',
  upgraded:
    'the database holds grants, was never served since its upgrade to schema 3, and is not the one that VAR_DIR/epoch.json remembers: it may be a copy from before the upgrade',
  restored: 'the database was restored from a backup, or found to be a copy before',
} as const;

export type Finding = keyof typeof FINDINGS;

/** What one look sees. */
export interface Observation {
  row: Instance;
  place: string;
  /** Grants live in a database of epoch 0 while the machine remembers another one. */
  isUpgradedCopy: boolean;
}

/** Another database than this process began with may be sound. */
export function isAboutThis(finding: Finding | undefined): boolean {
  return finding !== undefined && finding !== 'other';
}

/** A role that may not ask for the server's identifier knows the database by its number alone. */
export function isSamePlace(kept: string, present: string): boolean {
  if (kept === '') return true;
  const [[keptServer, keptNumber], [server, number]] = [kept.split('/'), present.split('/')];
  return keptNumber === number && (!keptServer || !server || keptServer === server);
}

/** What is wrong with what was seen, for a process that knew `known` before it looked. */
export function judge({ row, place, isUpgradedCopy }: Observation, known: SeenInstance): Finding | undefined {
  if (row.id !== known.id) return 'other';
  if (row.epoch < known.epoch) return 'older';
  if (!isSamePlace(row.place, place)) return 'moved';
  if (isUpgradedCopy) return 'upgraded';
  return row.state === 'copy' ? 'restored' : undefined;
}

/** Whether the place is known better now than the database keeps it. */
export function isFuller(place: string, kept: string): boolean {
  if (kept === '') return place !== '';
  return kept.startsWith('/') && !place.startsWith('/');
}

/** Why a copy on another server might not be known for one; undefined where it would be. */
export function findPlaceProblem(place: string): string | undefined {
  if (!place.startsWith('/')) return undefined;
  return 'the role of DATABASE_URL may not read pg_control_system(), so a copy on another server may not be known for one: grant execute on function pg_control_system() to that role';
}
