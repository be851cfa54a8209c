import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pin } from '../../src/cli/commands/apps/accounts.ts';
import { addApp, listAppsCommand } from '../../src/cli/commands/apps/apps.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { add as addStaff } from '../../src/cli/commands/staff.ts';
import { makeLinkCommand } from '../../src/cli/commands/tokens/links.ts';
import { findTokenCommand } from '../../src/cli/commands/tokens/token-actions.ts';
import { importTokens } from '../../src/cli/commands/tokens/tokens.ts';
import { chooseDatabase } from '../support/bridge/started-bridge.ts';

/** Every command takes the account ids that an import takes, also ids that have not 24 hex digits. */

const before = process.env;
const varDir = mkdtempSync(join(tmpdir(), 'imported-ids-'));
const APP = 'a'.repeat(24);
const IMPORTED = 'mod_1-B';
const IMPORTED_CAPITALS = 'ABCDEF0123456789ABCDEF02';
const LONG = ['a1'.repeat(16), 'Z9'.repeat(32), `acc-${'b'.repeat(40)}`];
let database: Awaited<ReturnType<typeof chooseDatabase>>;

const token = (name: string, holder: object) => ({
  type: 'token',
  access_token: `1/${name.padEnd(32, '0')}`,
  client_id: APP,
  ...holder,
});

beforeAll(async () => {
  database = await chooseDatabase();
  process.env = { VAR_DIR: varDir, LOG_LEVEL: 'error', ...database.settings };
  await migrateDatabase({});
  const rows = [
    { type: 'app', client_id: APP, name: 'An App', owner_email: 'owner@app.example' },
    token('1', { account_id: IMPORTED }),
    token('2', { account_email: 'holder@mail.example' }),
    token('3', { account_email: 'capitals@mail.example' }),
    token('6', { account_email: 'known@mail.example' }),
    token('4', { account_id: IMPORTED_CAPITALS }),
    ...LONG.map((id, index) => token(`5${index}`, { account_id: id })),
  ];
  const file = join(varDir, 'rows.ndjson');
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  expect((await importTokens({}, [file])).json).toMatchObject({ new: 6 + LONG.length, refused: 0 });
});
afterAll(async () => {
  process.env = before;
  await database.remove();
  rmSync(varDir, { recursive: true, force: true });
});

test('links make makes a link for it, and says where no token waits, as for a mistyped id', async () => {
  const { json, lines } = await makeLinkCommand({ app: APP, account: IMPORTED });
  expect(json).toMatchObject({ account_id: IMPORTED, link: expect.stringContaining('/apps/connect/') });
  expect([json['tokens_wait'], lines]).toEqual([true, [json['link'], expect.any(String)]]);
  const mistyped = { app: APP, account: '0123456789abcdef01234567' };
  // The link makes the account known, but no token.
  for (const made of [await makeLinkCommand(mistyped), await makeLinkCommand(mistyped)]) {
    expect(made.json['tokens_wait']).toBe(false);
    expect(made.lines.at(-1)).toContain('No token of this app is known to wait for this account');
  }
});

test('accounts pin gives it what waits under an address, and tokens find finds both', async () => {
  const { json } = await pin({ reason: 'by phone' }, ['holder@mail.example', IMPORTED]);
  expect(json).toMatchObject({ tokens: 1 });
  expect((await findTokenCommand({}, [IMPORTED])).json['tokens']).toHaveLength(2);
});

test('staff add gives it a role', async () => {
  const { json } = await addStaff({ role: 'reader' }, [IMPORTED]);
  expect(json).toEqual({
    account_id: IMPORTED,
    role: 'reader',
    before: null,
    account_known: true,
    has_access: true,
  });
});

test('apps add takes it as an owner', async () => {
  const app = { name: 'App', callback: ['https://app.example/cb'], owner: IMPORTED };
  expect((await addApp(app)).json).toMatchObject({ owner_known: true });
});

test.each(LONG)('tokens find finds the account with the long id %s, which could be a token', async (id) => {
  expect((await findTokenCommand({}, [id])).json['tokens']).toMatchObject([{ account_id: id }]);
  const other = `${id.slice(0, -1)}${id.endsWith('0') ? 1 : 0}`;
  await expect(findTokenCommand({}, [other])).rejects.toThrow('This looks like a whole token');
});

describe('an id of 24 hex digits in capitals', () => {
  const HEX = 'abcdef0123456789abcdef01';
  const CAPITALS = ` ${HEX.toUpperCase()}`;

  test('is refused while no account is known by it', async () => {
    const words = 'an account id (24 hex digits in lower case';
    await expect(makeLinkCommand({ app: APP, account: CAPITALS })).rejects.toThrow(words);
    await expect(addStaff({ role: 'reader' }, [CAPITALS])).rejects.toThrow(words);
  });

  test('means the account in lower case to every command, where that is known', async () => {
    await makeLinkCommand({ app: APP, account: HEX });
    await pin({ reason: 'by phone' }, ['known@mail.example', HEX]);
    const { json: link } = await makeLinkCommand({ app: APP, account: CAPITALS });
    expect(link).toMatchObject({ account_id: HEX });
    const { json: pinned, lines } = await pin({ reason: 'by phone' }, ['capitals@mail.example', CAPITALS]);
    expect(pinned).toMatchObject({ tokens: 1 });
    expect(lines[0]).toContain(`belong to account ${HEX} now`);
    expect((await findTokenCommand({}, [HEX])).json['tokens']).toMatchObject([
      { account_id: HEX },
      { account_id: HEX },
    ]);
    expect((await addStaff({ role: 'reader' }, [CAPITALS])).json).toMatchObject({ account_id: HEX });
    const app = { name: 'Capitals', callback: ['https://app.example/cb'], owner: CAPITALS };
    expect((await addApp(app)).json).toMatchObject({ owner_known: true });
    const { apps } = (await listAppsCommand()).json as { apps: object[] };
    expect(apps).toContainEqual(expect.objectContaining({ name: 'Capitals', owner: HEX }));
  });

  test('means itself where an import has brought it so', async () => {
    const { json } = await makeLinkCommand({ app: APP, account: IMPORTED_CAPITALS });
    expect(json).toMatchObject({ account_id: IMPORTED_CAPITALS });
    expect((await findTokenCommand({}, [IMPORTED_CAPITALS])).json['tokens']).toHaveLength(1);
  });
});

test.each(['', 'a b', 'a@b', 'x'.repeat(65), 'é', 'moed-account'])(
  'what no import takes, and what names no account here, is no account id: %j',
  async (id) => {
    const words = 'an account id (24 hex digits in lower case, or the id of an account that is known here)';
    await expect(makeLinkCommand({ app: APP, account: id })).rejects.toThrow(words);
    await expect(pin({ reason: 'by phone' }, ['holder@mail.example', id])).rejects.toThrow(words);
    const app = { name: 'App', callback: ['https://app.example/cb'], owner: id };
    if (id !== 'a@b') await expect(addApp(app)).rejects.toThrow(words);
    if (id !== 'a@b') await expect(addStaff({ role: 'reader' }, [id])).rejects.toThrow(words);
  },
);
