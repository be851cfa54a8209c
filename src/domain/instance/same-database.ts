import { isSamePlace } from './detect-copy.ts';

const POSTGRES = /^postgres:/;

/**
 * Whether two names from `epoch.json` (EpochFile.nameOf) mean the same database. A missing name means an unknown
 * database.
 */
export function isSameDatabase(kept: string | undefined, present: string | undefined): boolean {
  if (kept === undefined || present === undefined) return false;
  if (!POSTGRES.test(kept) || !POSTGRES.test(present)) return kept === present;
  return isSamePlace(kept.replace(POSTGRES, ''), present.replace(POSTGRES, ''));
}
