import type { ImportProgress } from '../../../domain/import/reading/import-file.ts';
import { createProgressReport, type ProgressState } from '../../terminal/progress.ts';

function stateOf({ bytes, totalBytes, tally, isTrial }: ImportProgress): ProgressState {
  const { new: added, known, changed, refused } = tally;
  const said = isTrial ? 'a trial, nothing is changed: ' : '';
  return {
    done: bytes,
    total: totalBytes,
    things: added + known + changed + refused,
    words: `${said}${added} new, ${known} known, ${changed} changed, ${refused} refused`,
  };
}

const INTERRUPTED =
  'Interrupted. Rows that were imported before stay. Run the same import again: it knows these rows and imports the others.\n';

const INTERRUPTED_TRIAL = 'Interrupted. Nothing was changed.\n';

/**
 * Reports the progress of an import on standard error: a bar on a terminal, else a line every few seconds. `beginsAsTrial`:
 * the import begins with a trial, or is only a trial.
 */
export function createProgress(beginsAsTrial: boolean) {
  const report = createProgressReport(true);
  let isTrial = beginsAsTrial;
  const interrupted = () => {
    report.end();
    process.stderr.write(isTrial ? INTERRUPTED_TRIAL : INTERRUPTED);
    // `once` has removed this listener, so now the signal ends the process as usual.
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', interrupted);
  return {
    tell(progress: ImportProgress): void {
      ({ isTrial } = progress);
      report.tell(stateOf(progress));
    },
    end(): void {
      report.end();
      process.off('SIGINT', interrupted);
    },
  };
}
