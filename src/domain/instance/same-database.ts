import { isSamePlace } from './detect-copy.ts';

const POSTGRES = /^postgres:/;

/**
 * Whether two names that `epoch.json` keeps (EpochFile.nameOf) stand for one database. An absent name stands for a
 * database that is not known.
 */
export function isSameDatabase(kept: string | undefined, present: string | undefined): boolean {
  if (kept === undefined || present === undefined) return false;
  if (!POSTGRES.test(kept) || !POSTGRES.test(present)) return kept === present;
  return isSamePlace(kept.replace(POSTGRES, ''), present.replace(POSTGRES, ''));
}
