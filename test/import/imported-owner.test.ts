import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { setDateOf } from '../../src/domain/lifecycle/changes/set-date.ts';
import { type Preview, previewReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { openHistory } from '../domain/support/histories.ts';
import { databaseKinds } from '../store/support/stores.ts';

test.each(databaseKinds)(
  'on %s the owner of an imported app who is known by an account id alone is somebody to remind',
  async (kind) => {
    const place = await openHistory(kind);
    const { context, varDir } = place;
    const [client_id, owner_account_id] = [newHexId(), newHexId()];
    const rows = [
      { type: 'app', client_id, name: 'Imported', owner_account_id },
      {
        type: 'token',
        access_token: newLegacyToken(),
        client_id,
        account_id: newHexId(),
        last_used_at: context.clock.now() / 1000,
      },
    ];
    const file = join(varDir, 'file');
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const origin = { actor: 'test', requestId: null };
    const folder = join(varDir, 'imports');
    const request = { file, folder, isDryRun: false, origin, onProgress: () => {} };
    expect(await importFile(context, request)).toMatchObject({ new: 2, refused: 0 });
    const named = await place.db
      .selectFrom('events')
      .select(['account_id', 'reason'])
      .where('action', '=', 'account_named')
      .where('account_id', '=', owner_account_id)
      .execute();
    expect(named).toEqual([{ account_id: owner_account_id, reason: 'the owner of an imported app' }]);
    const at = context.clock.now() + 20 * DAY;
    await setDateOf(context, { name: 'retirement', at, reason: 'a test', actor: 'test' });
    const planned: Preview[] = [];
    for await (const preview of previewReminders(context)) planned.push(preview);
    const owner = planned.find(({ person }) => person.id === `account:${owner_account_id}`);
    expect(owner?.due).toMatchObject([{ clientId: client_id, role: 'owner', stage: '30' }]);
    await place.close();
  },
);
