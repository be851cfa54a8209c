import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { openHistory } from '../domain/support/histories.ts';
import { appRow, tokenRow } from './support/generate.ts';

/** With so many pages in the log that the file lacks, SQLite lets any process that commits copy them into the file. */
const COPIED_FROM = 1000;

/** The pages of the log that the file lacks, from SQLite's index of the log (wal.c: `mxFrame` and `nBackfill`). */
function pagesToCopy(database: string): number {
  const head = Buffer.alloc(100);
  const file = openSync(`${database}-shm`, 'r');
  readSync(file, head, 0, head.length, 0);
  closeSync(file);
  return head.readUInt32LE(16) - head.readUInt32LE(96);
}

test('an import leaves no long log, which a process that serves beside it would copy in its next commit', async () => {
  const place = await openHistory('sqlite');
  if (place.location.kind !== 'sqlite') throw new Error('it is a file');
  const database = place.location.file;
  const file = join(place.varDir, 'file');
  const rows = [appRow(0), ...Array.from({ length: 6000 }, (_, token) => tokenRow(token, 1))];
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const waiting: number[] = [];
  const done = await importFile(place.context, {
    file,
    folder: join(place.varDir, 'imports'),
    isDryRun: false,
    origin: { actor: 'test', requestId: null },
    onProgress: () => waiting.push(pagesToCopy(database)),
  });
  expect(done).toMatchObject({ new: 6001, refused: 0 });
  expect(Math.max(...waiting, pagesToCopy(database))).toBeLessThan(COPIED_FROM);
  await place.close();
});
