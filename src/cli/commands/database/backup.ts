import { resolve } from 'node:path';
import { readConfig } from '../../../config/config.ts';
import { isMissing } from '../../../store/driver/open-store.ts';
import { backUp } from '../../../store/files/sqlite-backup.ts';
import type { CopySummary } from '../../../store/files/sqlite-copy.ts';
import { POSTGRES_BACKUP } from './postgres-copies.ts';
import { copyProgress } from './copy-progress.ts';
import type { Result } from '../result.ts';

/** The contents and the needs of a backup, in words. Keys are named by purpose and id alone. */
function linesOf(file: string, { bytes, schema, grants, mappings, keys, epoch }: CopySummary): string[] {
  const named = keys.map(({ purpose, id }) => `${purpose} ${id}`);
  return [
    `${file}: ${bytes} bytes, schema ${schema}, epoch ${epoch}, ${grants} grants, ${mappings} tokens.`,
    `The backup needs these keys of KEYS_FILE: ${named.join(', ') || 'none'}. KEYS_FILE is not part of the backup.`,
    'A restored backup is a copy: the bridge on it sends nothing to the new API until the take-over.',
  ];
}

/** `backup FILE`: a checked copy of the SQLite database in one file, while the bridge serves. Opens nothing else. */
export async function backup(
  _options: Record<string, unknown>,
  [given]: readonly (string | undefined)[],
): Promise<Result> {
  const { database } = readConfig();
  if (database.kind === 'postgres') return POSTGRES_BACKUP;
  if (isMissing(database)) throw new Error(`DATABASE_URL: there is no database at ${database.file}`);
  if (given === undefined) throw new Error('name the file to write the backup to');
  const file = resolve(given);
  const progress = copyProgress();
  const facts = await backUp(database.file, file, progress).finally(() => progress.end());
  const keys = facts.keys.map(({ purpose, id }) => ({ purpose, id }));
  return { ok: true, lines: linesOf(file, facts), json: { file, ...facts, keys } };
}
