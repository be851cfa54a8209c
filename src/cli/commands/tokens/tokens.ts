import { join } from 'node:path';
import { readConfig } from '../../../config/config.ts';
import { importFile } from '../../../domain/import/reading/import-file.ts';
import { createProgress } from './import-progress.ts';
import { isOver, summaryOf } from './import/summary.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

/**
 * `tokens import FILE`: apps, id pairs and tokens of the old API. Only with `--max-refused` can refused rows fail it.
 */
export async function importTokens(
  { dryRun, maxRefused }: { dryRun?: boolean; maxRefused?: number },
  [file = '-']: readonly string[],
): Promise<Result> {
  const isDryRun = dryRun === true;
  const folder = join(readConfig().varDir, 'imports');
  const progress = createProgress(isDryRun || maxRefused !== undefined);
  const imported = await withContext(({ context }) =>
    importFile(context, {
      file,
      folder,
      isDryRun,
      maxRefused,
      origin: { actor: 'command', requestId: null },
      onProgress: (now) => progress.tell(now),
    }),
  ).finally(() => progress.end());
  const isTooMany = isOver(imported, maxRefused);
  const lines = summaryOf(imported, { isDryRun, maxRefused });
  return { ok: !isTooMany, lines, json: { ...imported, isTooMany } };
}
