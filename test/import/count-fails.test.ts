import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { summaryOf } from '../../src/cli/commands/tokens/import/summary.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { openHistory } from '../domain/support/histories.ts';
import { databaseKinds } from '../store/support/stores.ts';

const APP = 'a'.repeat(24);
const ROWS = [
  { type: 'app', client_id: APP, name: 'An App', owner_email: 'owner@app.example' },
  { type: 'token', access_token: newLegacyToken(), client_id: APP, account_email: 'a@mail.example' },
];

test.each(databaseKinds)(
  'on %s an import whose count for the pages fails is told with its counts',
  async (kind) => {
    const place = await openHistory(kind);
    const file = join(place.varDir, 'file');
    writeFileSync(file, ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const origin = { actor: 'test', requestId: null };
    const request = { file, folder: join(place.varDir, 'imports'), isDryRun: false, origin };
    const run = async () => importFile(place.context, { ...request, onProgress: () => {} });
    await sql`alter table progress_reading rename to progress_reading_away`.execute(place.db);
    const failed = await run();
    expect(summaryOf(failed, { isDryRun: false, maxRefused: 0 })).toEqual([
      '2 new, 0 known, 0 changed, 0 refused.',
      'The tokens could not be counted for the pages. The rows are imported; the pages show the import within an hour.',
    ]);
    expect(place.log.join('')).toContain('the tokens could not be counted after an import');
    await sql`alter table progress_reading_away rename to progress_reading`.execute(place.db);
    expect(await run()).toMatchObject({ known: 2, isShownLater: false });
    await place.close();
  },
);
