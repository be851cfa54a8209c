import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { addApp, listAppsCommand } from '../../src/cli/commands/apps/apps.ts';
import { cutOver } from '../../src/cli/commands/apps/cut-over.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { backup } from '../../src/cli/commands/database/backup.ts';
import { restore } from '../../src/cli/commands/database/restore.ts';
import { addBrownout } from '../../src/cli/commands/dates/brownouts.ts';
import { changeDate } from '../../src/cli/commands/dates/dates.ts';
import { verifyHistoryCommand } from '../../src/cli/commands/history.ts';
import { printPlan } from '../../src/cli/commands/reminders-plan.ts';
import { findTokenCommand, revoke } from '../../src/cli/commands/tokens/token-actions.ts';
import { importTokens } from '../../src/cli/commands/tokens/tokens.ts';
import { withContext } from '../../src/cli/commands/with-context.ts';
import { migrationFiles } from '../../src/store/driver/schema/migrations.ts';
import { commandSettings } from './support/command-settings.ts';

/** A command says what it did, and the same in text and in JSON. */

const before = process.env;
const varDir = mkdtempSync(join(tmpdir(), 'command-answers-'));
const APP = 'a'.repeat(24);
const OTHER_APP = 'b'.repeat(24);
const DAY = 86_400_000;
let made: Awaited<ReturnType<typeof migrateDatabase>>;

const token = (name: string, clientId: string) => ({
  type: 'token',
  access_token: `1/${name.padEnd(32, '0')}`,
  client_id: clientId,
  account_id: 'c'.repeat(24),
});

/** What `reminders plan` prints. */
async function planOn(options: Parameters<typeof printPlan>[0]): Promise<string> {
  let text = '';
  await printPlan(options, async (pieces) => {
    for await (const piece of pieces) text += piece;
  });
  return text;
}

async function importRows(...rows: object[]) {
  const file = join(varDir, 'rows.ndjson');
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return (await importTokens({}, [file])).json;
}

beforeAll(async () => {
  const production = { PUBLIC_URL: 'https://bridge.example', TRUST_PROXY: '127.0.0.1' };
  process.env = { ...commandSettings(varDir, 'https'), ...production };
  made = await migrateDatabase({});
  process.env['NODE_ENV'] = 'production';
  const apps = [APP, OTHER_APP].map((client_id) => ({
    type: 'app',
    client_id,
    name: 'An App',
    owner_email: 'owner@app.example',
  }));
  await importRows(...apps, token('1', APP));
});
afterAll(() => {
  process.env = before;
  rmSync(varDir, { recursive: true, force: true });
});

test('migrate says whether it made the database or changed nothing', async () => {
  expect(made.lines[0]).toMatch(/^The database was made, with schema \d+\.$/);
  expect(made.json).toMatchObject({ migrated: true, before: null });
  const again = await migrateDatabase({});
  expect(again.lines[0]).toContain('No schema was changed.');
  expect(again.json).toEqual({
    migrated: false,
    before: made.json['schema'],
    schema: made.json['schema'],
    volatile: [],
  });
});

describe('migrate says so where it changes the volatile SQLite database alone', () => {
  const file = join(varDir, 'bridge-volatile.db');
  const files = migrationFiles('sqlite-volatile');
  const names = files.map(({ path }) => basename(path, '.sql'));
  const versionThere = () => onVolatile((db) => db.pragma('user_version', { simple: true }));

  function onVolatile<T>(work: (db: Sqlite.Database) => T): T {
    const db = new Sqlite(file);
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  test.each([
    [
      'that has an older schema',
      files.slice(0, -1),
      names.slice(-1),
      `got these migrations: ${names.at(-1)}.`,
    ],
    ['that is missing', [], names, 'was made.'],
  ])('%s', async (_which, older, expected, said) => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    if (older.length > 0)
      onVolatile((db) => {
        for (const { path } of older) db.exec(readFileSync(path, 'utf8'));
        db.pragma(`user_version = ${older.at(-1)?.number}`);
      });
    const { lines, json } = await migrateDatabase({});
    expect(json).toMatchObject({ migrated: true, before: json['schema'], volatile: expected });
    expect(lines[0]).toContain(`The volatile database beside it ${said}`);
    expect(versionThere()).toBe(files.at(-1)?.number);
    expect((await migrateDatabase({})).json).toMatchObject({ migrated: false, volatile: [] });
  });

  test('and a command that changes no schema says which database is older', async () => {
    onVolatile((db) => db.pragma('user_version = 0'));
    const says = 'the volatile database beside the one at';
    await expect(listAppsCommand()).rejects.toThrow(says);
    const { lines, json } = await migrateDatabase({ status: true });
    expect(lines[0]).toContain('The volatile database beside it is older. Migrations that wait:');
    expect(json).toMatchObject({ schema: json['newest'], waiting: names });
    onVolatile((db) => db.pragma(`user_version = ${files.at(-1)?.number}`));
  });
});

test('history verify counts the same entries in both, also those that wait', async () => {
  const { lines, json } = await verifyHistoryCommand({});
  const [entries, chained, waiting] = ['entries', 'chained', 'waiting'].map((name) => Number(json[name]));
  expect(lines[0]).toContain(`${entries} entries, chained to position ${chained}`);
  expect([entries, waiting! > 1]).toEqual([chained! + waiting!, true]);
});

test('one entry waits in the singular', async () => {
  await withContext(async ({ context: { store } }) => {
    const [first] = await store.durable.selectFrom('events').select('id').orderBy('id').limit(1).execute();
    await store.durable.deleteFrom('events').where('id', '!=', first!.id).execute();
  });
  const { lines } = await verifyHistoryCommand({});
  expect(lines).toEqual([expect.stringContaining('1 entry,'), '1 entry waits to be chained.']);
});

test('without a mail server in production, no command promises a reminder', async () => {
  const moment = new Date(Date.now() + 30 * DAY).toISOString();
  const { lines: answer } = await changeDate({ reason: 'asked for' }, ['sunset', moment]);
  expect(answer.join(' ')).toContain('Nobody is reminded of it: SMTP_URL is not set');
  expect(answer.join(' ')).not.toContain('planned anew');
  const [from, to] = [1, 2].map((days) => new Date(Date.now() + days * DAY).toISOString());
  const brownout = await addBrownout({ from, to, rehearses: 'sunset', text: 'A test.', reason: 'asked for' });
  expect(brownout.lines.join(' ')).toContain('and in no mail: SMTP_URL is not set');
  // Mails that are not urgent go out from nine in the morning on.
  const noon = new Date((Math.floor(Date.now() / DAY) + 1.5) * DAY).toISOString();
  const lines = (await planOn({ on: noon })).split('\n');
  expect(lines[0]).toContain('None of these mails will be sent: SMTP_URL is not set');
  // The owner has an address, the holder has none.
  const plan = JSON.parse(await planOn({ on: noon, json: true }));
  expect(plan).toMatchObject({ mails: 1, without_address: 1, is_sending: false });
  expect(plan.people).toHaveLength(2);
  expect(lines.at(-2)).toContain('1 mail now, 0 people later. 1 person cannot get one');
});

test('a token that belongs to another app is refused for the token, and the report names it', async () => {
  const { refusals, report } = await importRows(token('1', OTHER_APP));
  const field = 'access_token or access_token_sha256';
  expect(refusals).toMatchObject([{ field, reason: 'already belongs to another app' }]);
  expect(JSON.parse(readFileSync(String(report), 'utf8'))).toMatchObject({ line: 1, field });
});

test('what stands already is no failure and no change', async () => {
  const same = await cutOver({ percent: '0', reason: 'asked for' }, [APP]);
  expect(same).toMatchObject({ ok: true, json: { percent: 0, before: 0, changed: false } });
  expect(same.lines).toEqual(['The percentage of the app is 0 % already. Nothing was changed.']);
  const taken = await restore({ takeOver: true }, []);
  expect(taken).toMatchObject({ ok: true, json: { state: 'original', grants: 0, changed: false } });
});

test('revoke speaks of no grant where the token had none', async () => {
  const [found] = (await findTokenCommand({}, ['c'.repeat(24)])).json['tokens'] as [{ mapping_id: string }];
  const { lines, json } = await revoke({ reason: 'lost' }, [found.mapping_id]);
  expect(lines).toEqual([
    'The token is revoked. No grant served it.',
    expect.stringMatching(/^Until \S+Z this can be taken back: grantbridge history undo \d+ --reason TEXT$/),
  ]);
  expect(json).toMatchObject({ outcome: 'revoked', alone: false, hadGrant: false });
});

test('apps list says that the owner of an unidentified program is not known', async () => {
  const app = { name: 'App', callback: ['https://app.example/cb'], owner: 'owner@app.example' };
  const clientId = String((await addApp(app)).json['client_id']);
  await withContext(({ context: { store } }) =>
    store.durable.updateTable('apps').set({ owner_email: null }).where('client_id', '=', clientId).execute(),
  );
  expect((await listAppsCommand()).lines.join('\n')).toContain('owner not known)');
});

const takeOver = async (...operands: string[]) => (await restore({ takeOver: true }, operands)).json;

test('restore says what it changed, and a second take-over that it changed nothing', async () => {
  const file = join(varDir, 'backup.db');
  await backup({}, [file]);
  expect((await restore({}, [file])).json).toMatchObject({ state: 'copy', changed: true });
  expect(await takeOver()).toMatchObject({ state: 'original', changed: true });
  expect(await takeOver()).toMatchObject({ state: 'original', changed: false });
  expect(await takeOver(file)).toMatchObject({ state: 'original', changed: true });
  writeFileSync(join(varDir, 'other.db'), '');
  const other = { instance: 'another', epoch: 1, database: 'sqlite:other.db' };
  writeFileSync(join(varDir, 'epoch.json'), JSON.stringify(other));
  const adopted = await restore({ takeOver: true, replaceOriginal: true }, []);
  expect(adopted.json).toMatchObject({ isAdopted: true, changed: true });
});
