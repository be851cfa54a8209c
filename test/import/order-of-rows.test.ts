import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { type History, openHistory } from '../domain/support/histories.ts';
import { databaseKinds } from '../store/support/stores.ts';

/** The rows of a file may stand in any order, also where other batches lie between the two that belong together. */

/** More than a batch beside calls holds. */
const BETWEEN = 300;

const ndjson = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const profiles = () =>
  Array.from({ length: BETWEEN }, () => ({
    type: 'profile',
    legacy_id: newHexId(),
    modern_id: newHexId(),
  }));

describe.each(databaseKinds)('on %s', (kind) => {
  let place: History;

  beforeAll(async () => {
    place = await openHistory(kind);
  });

  afterAll(() => place.close());

  const run = async (rows: readonly object[], isDryRun = false) => {
    const file = join(place.varDir, 'file');
    writeFileSync(file, ndjson(rows));
    const request = { file, folder: join(place.varDir, 'imports'), isDryRun, servesBeside: true };
    const origin = { actor: 'test', requestId: null };
    const done = await importFile(place.context, { ...request, origin, onProgress: () => {} });
    return [done.new, done.known, done.changed, done.refused];
  };

  test('an app whose owner a pair names much later is judged by that pair, and again nothing changes', async () => {
    const [client_id, modern_id, legacy_id] = [newHexId(), newHexId(), newHexId()];
    const app = { type: 'app', client_id, name: 'An App' };
    await run([{ ...app, owner_account_id: modern_id }]);
    const rows = [
      { ...app, owner_account_id: legacy_id, client_secret: `a-secret-${client_id}` },
      ...profiles(),
      { type: 'account', legacy_id, modern_id },
    ];
    const expected = [BETWEEN + 1, 0, 1, 0];
    expect([await run(rows, true), await run(rows)]).toEqual([expected, expected]);
    expect(await run(rows)).toEqual([0, BETWEEN + 2, 0, 0]);
    const secrets = place.db.selectFrom('app_secrets').select('id').where('client_id', '=', client_id);
    expect(await secrets.execute()).toHaveLength(1);
  });

  test('an app that names its owner by the address of a later pair is taken too', async () => {
    const [client_id, modern_id, email] = [newHexId(), newHexId(), `${newHexId()}@owners.example`];
    const app = { type: 'app', client_id, name: 'An App' };
    await run([{ ...app, owner_account_id: modern_id }]);
    const today = place.db.updateTable('accounts').set({ email: 'today@owners.example' });
    await today.where('account_id', '=', modern_id).execute();
    const rows = [
      { ...app, owner_email: email },
      ...profiles(),
      { type: 'account', legacy_id: newHexId(), modern_id, email },
    ];
    expect(await run(rows)).toEqual([BETWEEN + 1, 1, 0, 0]);
  });
});
