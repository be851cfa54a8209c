import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKeys } from '../../../src/store/files/keys-file.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { run, runJson } from './operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';

/** `keys init` as an operator of a new production runs it. */

let folder: string;
let varDir: string;
let settings: Settings;

beforeAll(buildProgram, 120_000);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keys-init-'));
  varDir = join(folder, 'var');
  settings = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://bridge.example',
    TRUST_PROXY: 'loopback',
    MODERN_AUTH_URL: 'https://auth.example',
    MODERN_API_URL: 'https://api.example',
    MODERN_CLIENT_ID: 'bridge',
    VAR_DIR: varDir,
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(varDir, 'keys.json');

test('production without keys names the command; it makes them, and production migrates with them', async () => {
  const refused = await run(settings, 'migrate');
  expect(refused.code).toBe(1);
  expect(refused.complaints).toContain('grantbridge keys init');
  expect(existsSync(varDir)).toBe(false);
  const made = await run(settings, 'keys', 'init');
  expect(made).toMatchObject({ code: 0, complaints: '' });
  expect(made.output).toContain(`New keys are in ${file()}`);
  for (const next of ['Keep a copy', 'grantbridge migrate', 'grantbridge serve'])
    expect(made.output).toContain(next);
  expect(readdirSync(varDir)).toEqual(['keys.json']);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  for (const { secret } of Object.values(loadKeys(file())).flat())
    expect(made.output).not.toContain(secret.toString('base64url'));
  expect(await run(settings, 'migrate')).toMatchObject({ code: 0, complaints: '' });
});

test('what is there is left as it is: a file, also one that is no key file, and the keys of a database', async () => {
  expect(await runJson(settings, 'keys', 'init')).toEqual({
    code: 0,
    json: { file: file(), databaseAsked: true },
  });
  const keys = readFileSync(file(), 'utf8');
  const again = await run(settings, 'keys', 'init');
  expect(again).toEqual({
    code: 1,
    output: '',
    complaints: `KEYS_FILE: ${file()} exists already and was not changed\n`,
  });
  writeFileSync(file(), 'half a fi');
  expect((await run(settings, 'keys', 'init')).code).toBe(1);
  expect(readFileSync(file(), 'utf8')).toBe('half a fi');
  writeFileSync(file(), keys);
  expect((await run(settings, 'migrate')).code).toBe(0);
  rmSync(file());
  const inUse = await run(settings, 'keys', 'init');
  expect(inUse.code).toBe(1);
  expect(inUse.complaints).toContain(`there is a database of the bridge at ${join(varDir, 'bridge.db')}`);
  expect(existsSync(file())).toBe(false);
});

test('it needs no database and no other setting; the settings that it reads are named where they are wrong', async () => {
  const away = {
    NODE_ENV: 'production',
    VAR_DIR: varDir,
    DATABASE_URL: 'postgres://bridge@127.0.0.1:9/name',
  };
  const made = await run(away, 'keys', 'init');
  expect(made).toMatchObject({ code: 0, complaints: '' });
  expect(made.output).toContain('The database could not be read, and may have other keys already.');
  rmSync(varDir, { recursive: true });
  const wrong: Array<[Settings, string]> = [
    [{ KEY_FILE: file() }, 'KEY_FILE'],
    [{ VAR_DIR: varDir, KEYS_FILE: `${file()}\n` }, 'KEYS_FILE: begins or ends with a blank'],
    [{ VAR_DIR: varDir, DATABASE_URL: 'mysql://x' }, 'DATABASE_URL: must be'],
    [{ VAR_DIR: varDir, DATABASE_URL: 'postgres://bridge@db.example/name' }, 'DATABASE_URL: '],
    [{ VAR_DIR: varDir, KEYS_FILE: '/dev/null/keys.json' }, '/dev/null'],
  ];
  for (const [given, said] of wrong) {
    const { code, complaints } = await run(given, 'keys', 'init');
    expect([said, code]).toEqual([said, 1]);
    expect(complaints).toContain(said);
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('a PostgreSQL database that is in use has its own keys', async () => {
  const database = await freshDatabase();
  try {
    const onServer = { ...settings, DATABASE_URL: database.url };
    expect((await run(onServer, 'keys', 'init')).code).toBe(0);
    expect((await run(onServer, 'migrate')).code).toBe(0);
    rmSync(file());
    const { code, complaints } = await run(onServer, 'keys', 'init');
    expect(code).toBe(1);
    expect(complaints).toContain('there is a database of the bridge at PostgreSQL at ');
  } finally {
    await database.drop();
  }
});
