import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addContact, removeContact } from '../../src/domain/apps/app-contacts.ts';
import { importFile } from '../../src/domain/import/reading/import-file.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { listContacts } from '../../src/store/apps/app-contacts.ts';
import { keyFor, type Program, programOf } from '../staff-api/support/api-client.ts';
import { type ApiGround, openGround } from '../staff-api/support/ground.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';

/** Contacts of an app that is imported again: who was removed or left stays away, whatever the file says. */

interface ImportJson {
  new: number;
  known: number;
  changed: number;
  refused: number;
}

const counts = ({ new: added, known, changed, refused }: ImportJson) => [added, known, changed, refused];

function appWith(clientId: string, ...contacts: string[]) {
  const owner_email = `${clientId}@owners.example`;
  return { type: 'app', client_id: clientId, name: 'An App', owner_email, contacts };
}

const origin = { actor: 'test', requestId: null };

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;

  beforeAll(async () => {
    ground = await openGround(kind);
    program = programOf(ground, (await keyFor(ground, 'lead')).key);
  });
  afterAll(() => ground.stop());

  const send = async (row: object, more: object = {}) =>
    counts((await program.post('/import', { rows: [row], ...more })).json as ImportJson);
  const importAgain = async (row: object, isDryRun: boolean) => {
    const folder = ground.bridge.context.settings.importFolder;
    const file = join(folder, '..', 'apps.ndjson');
    writeFileSync(file, `${JSON.stringify(row)}\n`);
    return counts(
      await importFile(ground.bridge.context, { file, folder, isDryRun, origin, onProgress: () => {} }),
    );
  };
  const contactsOf = (clientId: string) => listContacts(ground.bridge.context.store.durable, clientId);
  const remove = (clientId: string, address: string) =>
    removeContact(ground.bridge.context, { clientId, address, mayTakeAccess: true, ...origin });

  test('a removed contact does not come back, and a new one of a newer file does', async () => {
    const [clientId, other] = [newHexId(), newHexId()];
    const row = appWith(clientId, 'stays@a.example', 'old@a.example');
    expect(await send(row)).toEqual([1, 0, 0, 0]);
    await send(appWith(other, 'other@a.example'));
    expect(await remove(clientId, 'old@a.example')).toBe('removed');

    expect(await send(row, { is_dry_run: true })).toEqual([0, 1, 0, 0]);
    expect(await send(row)).toEqual([0, 1, 0, 0]);
    expect([await importAgain(row, true), await importAgain(row, false)]).toEqual([
      [0, 1, 0, 0],
      [0, 1, 0, 0],
    ]);
    expect(await contactsOf(clientId)).toEqual(['stays@a.example']);

    const newer = appWith(clientId, 'Old@a.example', 'new@a.example');
    expect(await importAgain(newer, true)).toEqual([0, 0, 1, 0]);
    expect(await send(newer)).toEqual([0, 0, 1, 0]);
    expect(await contactsOf(clientId)).toEqual(['new@a.example', 'stays@a.example']);
    expect(await send(appWith(other, 'other@a.example', 'old@a.example'))).toEqual([0, 0, 1, 0]);
  });

  test('a removed contact does not come back either where the history keeps no text of it', async () => {
    const clientId = newHexId();
    const inbox = `add.${'a1b2'.repeat(10)}@inbox.example`;
    const row = appWith(clientId, inbox);
    await send(row);
    expect(await remove(clientId, inbox)).toBe('removed');
    expect(await importAgain(row, true)).toEqual([0, 1, 0, 0]);
    expect(await send(row)).toEqual([0, 1, 0, 0]);
    expect(await contactsOf(clientId)).toEqual([]);
    const events = await ground.bridge.context.store.durable.selectFrom('events').select('reason').execute();
    expect(JSON.stringify(events)).not.toContain('a1b2');
  });

  test('a contact that the owner added is the one of the file, in whatever case its letters are', async () => {
    const clientId = newHexId();
    await send(appWith(clientId));
    await addContact(ground.bridge.context, { clientId, address: 'Dev@a.example', ...origin });
    expect(await send(appWith(clientId, 'dev@a.example'))).toEqual([0, 1, 0, 0]);
    await remove(clientId, 'Dev@a.example');
    expect(await send(appWith(clientId, 'dev@a.example'))).toEqual([0, 1, 0, 0]);
    expect(await contactsOf(clientId)).toEqual([]);
    await addContact(ground.bridge.context, { clientId, address: 'dev@a.example', ...origin });
    expect(await send(appWith(clientId, 'dev@a.example'))).toEqual([0, 1, 0, 0]);
    expect(await contactsOf(clientId)).toEqual(['dev@a.example']);
  });
});
