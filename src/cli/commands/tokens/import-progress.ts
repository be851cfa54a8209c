import type { ImportProgress } from '../../../domain/import/reading/import-file.ts';
import { SECOND } from '../../../shared/lifetimes.ts';

const BAR_WIDTH = 30;

const BAR_EVERY = SECOND / 5;
const LINE_EVERY = 3 * SECOND;

function shareOf({ bytes, totalBytes }: ImportProgress): number {
  return totalBytes === 0 ? 1 : Math.min(bytes / totalBytes, 1);
}

function numbersOf(progress: ImportProgress): string {
  const { new: added, known, changed, refused } = progress.tally;
  const percent = Math.floor(100 * shareOf(progress));
  const said = progress.isTrial ? 'a trial, nothing is changed: ' : '';
  return `${percent} %  ${said}${added} new, ${known} known, ${changed} changed, ${refused} refused`;
}

function barOf(progress: ImportProgress): string {
  const full = Math.round(BAR_WIDTH * shareOf(progress));
  return `\r[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] ${numbersOf(progress)}`;
}

const INTERRUPTED =
  'Interrupted. Rows that were imported before stay. Run the same import again: it knows these rows and imports the others.\n';

/** Reports the progress of an import on standard error: a bar on a terminal, else a line every few seconds. */
export function createProgress() {
  const { isTTY: isTerminal } = process.stderr;
  let toldAt = performance.now();
  const clear = () => isTerminal && process.stderr.write('\r\u001B[K');
  const interrupted = () => {
    clear();
    process.stderr.write(INTERRUPTED);
    // `once` has removed this listener, so now the signal ends the process as usual.
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', interrupted);
  return {
    tell(progress: ImportProgress): void {
      const isDue = performance.now() - toldAt >= (isTerminal ? BAR_EVERY : LINE_EVERY);
      if (!isDue) return;
      toldAt = performance.now();
      process.stderr.write(isTerminal ? barOf(progress) : `${numbersOf(progress)}\n`);
    },
    end(): void {
      clear();
      process.off('SIGINT', interrupted);
    },
  };
}
