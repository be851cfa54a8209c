import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile, type ImportProgress } from '../../src/domain/import/reading/import-file.ts';
import { openHistory } from '../domain/support/histories.ts';

/** What is told of an import while it runs: from when on it changes something. */

const APP = { type: 'app', client_id: 'a'.repeat(24), name: 'An App', owner_email: 'owner@app.example' };

test('the end of the trial is told before the first row is stored', async () => {
  const place = await openHistory('sqlite');
  const file = join(place.varDir, 'file');
  writeFileSync(file, JSON.stringify(APP));
  const told: ImportProgress[] = [];
  await importFile(place.context, {
    file,
    folder: join(place.varDir, 'imports'),
    isDryRun: false,
    maxRefused: 0,
    origin: { actor: 'test', requestId: null },
    onProgress: (progress) => told.push({ ...progress, tally: { ...progress.tally } }),
  });
  await place.close();
  expect(told[0]).toMatchObject({ isTrial: true });
  const first = told.find(({ isTrial }) => !isTrial);
  expect(first).toMatchObject({ tally: { new: 0, known: 0, changed: 0, refused: 0 } });
  expect(first?.bytes).toBe((first?.totalBytes ?? 0) / 2);
  expect(told.at(-1)?.isTrial).toBe(false);
});
