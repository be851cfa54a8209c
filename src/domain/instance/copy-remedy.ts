import type { CopyFinding } from './detect-copy.ts';
import { FOREIGN_FOLDER_REMEDY } from './other-database.ts';

/** What an operator does about a database that counts as a copy, in sentences. Anybody can read them at `/ready`. */

const FOREIGN_FOLDER = `VAR_DIR belongs to another database, so a plain take-over is refused. ${FOREIGN_FOLDER_REMEDY}`;

/** VAR_DIR alone shows these findings, and it may be the wrong VAR_DIR. */
const BY_FOLDER: readonly CopyFinding[] = ['older', 'upgraded'];

/** What makes a restored copy the original. The command refuses the take-over where VAR_DIR belongs to another database. */
export function takeOverRemedy(isFolderForeign: boolean): string {
  return isFolderForeign
    ? FOREIGN_FOLDER
    : 'Once the original is stopped for good: grantbridge restore --take-over';
}

/** The remedy for a finding. `isFolderForeign` says whether VAR_DIR belongs to another database that may still exist. */
export function remedyFor(finding: CopyFinding, isFolderForeign: boolean): string {
  // The former database is not known to be gone, and the present one may be sound. Only a new process can judge it.
  if (finding === 'other') return 'Start the bridge again';
  if (isFolderForeign && BY_FOLDER.includes(finding))
    return `If this database is no older copy, set its own VAR_DIR. ${FOREIGN_FOLDER}`;
  if (!isFolderForeign && finding === 'older')
    return 'Put the newer database back. If it is gone for good: grantbridge restore --take-over';
  return takeOverRemedy(isFolderForeign);
}
