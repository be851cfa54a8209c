import type { CopyProgress } from '../../../store/files/sqlite-copy.ts';
import { createProgressReport } from '../../terminal/progress.ts';

/** Shows at a terminal how far a backup or a restore is. `end` takes the bar away. */
export function copyProgress(): CopyProgress & { end: () => void } {
  const report = createProgressReport(false);
  return {
    ...report,
    tell: ({ done, total, unit }) =>
      report.tell({ done, total, things: done, words: `${done} of ${total} ${unit}` }),
  };
}
