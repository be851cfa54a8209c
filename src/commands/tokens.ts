import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { type Imported, importFile } from '../domain/import/import-file.ts';
import { createProgress } from './import-progress.ts';
import type { Result } from './result.ts';
import { withWorkshop } from './with-workshop.ts';

function linesOf({ reasons, unknownFields, report, ...counts }: Imported, isDryRun: boolean): string[] {
  const said = `${counts.new} new, ${counts.known} known, ${counts.changed} changed, ${counts.refused} refused`;
  const byNumber = Object.entries(reasons).toSorted(([, a], [, b]) => b - a);
  return [
    isDryRun ? `A dry run; nothing was changed. It would be: ${said}.` : `${said}.`,
    ...byNumber.map(([reason, count]) => `    ${count} refused: ${reason}`),
    ...(unknownFields.length > 0 ? [`Fields that were left aside: ${unknownFields.join(', ')}`] : []),
    ...(counts.refused > 0 ? [`Each refused line with its reason: ${report}`] : []),
  ];
}

/** `tokens import FILE`: apps, id pairs and tokens of the older generation; rows that are refused fail nothing. */
export async function importTokens(
  options: Record<string, unknown>,
  [file = '-']: readonly string[],
): Promise<Result> {
  const isDryRun = options['dryRun'] === true;
  const folder = join(readConfig().varDir, 'imports');
  const progress = createProgress();
  const imported = await withWorkshop(({ context }) =>
    importFile(context, {
      file,
      folder,
      isDryRun,
      origin: { actor: 'command', requestId: null },
      onProgress: (now) => progress.tell(now),
    }),
  ).finally(() => progress.end());
  const { unknownFields: _, ...json } = imported;
  return { ok: true, lines: linesOf(imported, isDryRun), json };
}
