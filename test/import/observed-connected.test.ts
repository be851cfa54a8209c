import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { insertMapping } from '../../src/store/tokens/mappings.ts';
import type { MappingState } from '../../src/store/tables/tables.ts';
import { openHistory } from '../domain/support/histories.ts';
import { databaseKinds } from '../store/support/stores.ts';

/** A token under an unidentified program, and a row that names its app. */

test.each(databaseKinds)(
  'on %s an import gives such a token its app only while it waits, and says why',
  async (kind) => {
    const place = await openHistory(kind);
    const { context, varDir, db } = place;
    const [program, clientId, accountId] = [newHexId(), newHexId(), newHexId()];
    const app = { type: 'app', client_id: clientId, name: 'An App', owner_email: 'o@a.example' };
    await db
      .insertInto('apps')
      .values({ client_id: program, name: 'curl/8.0', source: 'observed', created_at: 1 })
      .execute();

    const observe = async (state: MappingState) => {
      const access_token = newLegacyToken();
      await insertMapping(db, {
        id: newHexId(),
        token_digest: context.vault.digest(access_token),
        client_id: program,
        state,
        source: 'observed',
        created_at: 1,
        updated_at: 1,
      });
      return { type: 'token', access_token, client_id: clientId, account_id: accountId };
    };

    const rows: object[] = [app];
    for (const state of ['unmapped', 'active', 'reauthorization_required', 'revoked'] as const)
      rows.push(await observe(state));
    const file = join(varDir, 'file');
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    for (const isDryRun of [true, false]) {
      const done = await importFile(context, {
        file,
        folder: join(varDir, 'imports'),
        isDryRun,
        origin: { actor: 'test', requestId: null },
        onProgress: () => {},
      });
      expect(done).toMatchObject({ new: 1, changed: 1, refused: 3 });
      expect(done.refusals.map(({ reason, lines }) => [reason, lines])).toEqual([
        ['was connected under an unidentified program: use the command tokens assign', [3, 4]],
        ['has ended under an unidentified program', [5]],
      ]);
    }
    await place.close();
  },
);
