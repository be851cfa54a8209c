import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { startEmbeddedModern } from '../../support/servers/embedded-modern.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { BRIDGE_CLIENT, type ModernSide } from '../../support/servers/modern-side.ts';
import { add, printed, run, runJson } from './operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';

/** The operator's command as a process of its own: what it prints, what it keeps, and how it ends. */

const CLIENT_SECRET = 'canary-of-the-client-at-the-modern-side';
const folder = mkdtempSync(join(tmpdir(), 'commands-'));
let modern: ModernSide;
let freeAddress: string;
const settingsIn = (place: string, given: Settings = {}): Settings => ({
  VAR_DIR: join(folder, place),
  PUBLIC_URL: 'http://localhost:3000',
  MODERN_AUTH_URL: modern.url,
  MODERN_API_URL: modern.url,
  MODERN_CLIENT_ID: BRIDGE_CLIENT,
  MODERN_CLIENT_SECRET: CLIENT_SECRET,
  ...given,
});

const TABLES = ['apps', 'app_secrets', 'app_callbacks', 'accounts', 'mappings', 'events'];

function inDatabase<T>(place: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(join(folder, place, 'bridge.db'), { fileMustExist: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const rowCounts = (place: string) =>
  inDatabase(place, (db) =>
    Object.fromEntries(
      TABLES.map((name) => [name, db.prepare(`select count(*) from ${name}`).pluck().get()]),
    ),
  );

beforeAll(async () => {
  await buildProgram();
  const port = await freePort();
  freeAddress = `http://127.0.0.1:${await freePort()}`;
  const issuer = `http://127.0.0.1:${port}`;
  const redirectUri = 'http://localhost:3000/callback';
  const clientSecret = CLIENT_SECRET;
  modern = await startEmbeddedModern({ port, issuer, redirectUri, accessTokenSeconds: 3600, clientSecret });
});
afterAll(async () => {
  await modern.close();
  rmSync(folder, { recursive: true });
});

describe('migrate', () => {
  test('makes the database and its keys, and a second time changes nothing', async () => {
    const settings = settingsIn('migrate');
    const output = expect.stringMatching(/^The database was made, with schema \d+\.\n$/) as string;
    expect(await run(settings, 'migrate')).toEqual({ code: 0, output, complaints: '' });
    const keys = readFileSync(join(folder, 'migrate', 'keys.json'), 'utf8');
    expect(await runJson(settings, 'migrate')).toMatchObject({ code: 0, json: { migrated: false } });
    expect(rowCounts('migrate')).toEqual({
      ...Object.fromEntries(TABLES.map((name) => [name, 0])),
      events: 4,
    });
    expect(readFileSync(join(folder, 'migrate', 'keys.json'), 'utf8')).toBe(keys);
  });
});

const ADDRESS = 'https://app.example/callback';
const OWNER = 'owner@app.example';
const ACCOUNT = 'a'.repeat(24);

interface Registered {
  client_id: string;
  client_secret: string;
  owner_token: string;
}

interface Listed {
  client_id: string;
  callbacks: string[];
  warnings: string[];
}

const shape = {
  client_id: expect.stringMatching(/^[0-9a-f]{24}$/),
  client_secret: expect.stringMatching(/^[\w-]{32,}$/),
  owner_token: expect.stringMatching(/^1\/[0-9a-f]{32}$/),
};

/** Ids and secrets as the lines for people name them. */
const readLines = (output: string) => {
  const found = output.matchAll(/^(client_id|client_secret|owner_token): (\S+)$/gm);
  return Object.fromEntries([...found].map((match) => match.slice(1))) as Registered;
};

/** How many outputs of all so far contain a text. */
const times = (text: string) => printed.filter((output) => output.includes(text)).length;

describe('apps', () => {
  let settings: Settings;
  const registered: Registered[] = [];
  beforeAll(async () => {
    settings = settingsIn('apps');
    await run(settings, 'migrate');
  });

  test('list says that there is none yet', async () => {
    const none = { code: 0, output: 'No app is registered yet.\n' };
    expect(await run(settings, 'apps', 'list')).toMatchObject(none);
    expect(await runJson(settings, 'apps', 'list')).toEqual({ code: 0, json: { apps: [] } });
  });

  test('add prints the id and the two secrets in lines, and says that it is for once', async () => {
    const { code, output, complaints } = await run(settings, ...add('First', ADDRESS, OWNER));
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    expect(readLines(output)).toEqual(shape);
    expect(output).toContain('The secret and the token are shown only this once.');
    registered.push(readLines(output));
  });

  test('add --json answers the same three, and a second app has others', async () => {
    const { code, json } = await runJson(settings, ...add('Second', ADDRESS, ACCOUNT));
    expect({ code, json }).toEqual({ code: 0, json: { ...shape, owner_known: false } });
    const { owner_known: _, ...secrets } = json as Registered & { owner_known: boolean };
    registered.push(secrets);
    expect(new Set(registered.flatMap((app) => Object.values(app))).size).toBe(6);
  });

  // Each rule is tested where it stands (domain/callback-rule.test.ts, owners/app-pages): here it is that all reach the command.
  test.each<[string, string[], string[], string[][]?]>([
    [
      'an http callback',
      add('App', 'http://app.example/callback', OWNER),
      ['callback http://app.example/callback: must be https'],
    ],
    [
      'one good and one bad callback',
      [...add('App', ADDRESS, OWNER), '--callback', 'http://app.example/'],
      ['must be https'],
    ],
    [
      'everything wrong at once',
      add('', 'ftp://x.example/', 'me'),
      ['name:', 'callback ftp://x.example/:', 'owner:'],
      [[], ['--json']],
    ],
  ])('add refuses a registration with %s, says why, and keeps nothing', async (...refused) => {
    const [, args, reasons, forms = [[]]] = refused;
    const before = rowCounts('apps');
    for (const json of forms) {
      const { code, output, complaints } = await run(settings, ...args, ...json);
      expect({ code, output }).toEqual({ code: 1, output: '' });
      for (const reason of reasons) expect(complaints).toContain(reason);
    }
    expect(rowCounts('apps')).toEqual(before);
  });

  test('list marks a callback that could not be registered anew, and no other', async () => {
    const [first, second] = registered.map((app) => app.client_id);
    const imported = 'http://old.example/callback';
    inDatabase('apps', (db) => db.prepare('insert into app_callbacks values (?, ?)').run(first, imported));
    const { code, output } = await run(settings, 'apps', 'list');
    expect(code).toBe(0);
    expect(output).toContain(`${first}  First  (1 token, owner ${OWNER})`);
    expect(output).toContain(`${second}  Second  (1 token, owner ${ACCOUNT})`);
    expect(output.match(/warning: .*/g)).toEqual([expect.stringContaining(`${imported}: must be https`)]);
    const { json } = await runJson(settings, 'apps', 'list');
    const { apps } = json as { apps: Listed[] };
    const app = (id: string | undefined) => apps.find(({ client_id }) => client_id === id);
    expect(app(first)?.callbacks.toSorted()).toEqual([imported, ADDRESS]);
    expect(app(first)?.warnings).toEqual([expect.stringContaining(imported)]);
    expect(app(second)).toMatchObject({ callbacks: [ADDRESS], warnings: [] });
  });

  test('each secret was shown exactly once, and no key ever', async () => {
    await run(settings, 'doctor');
    await run({ ...settings, LOG_LEVEL: 'debug' }, 'apps', 'list', '--json');
    for (const { client_secret, owner_token } of registered)
      expect([times(client_secret), times(owner_token)]).toEqual([1, 1]);
    const keys = readFileSync(join(folder, 'apps', 'keys.json'), 'utf8').match(/[\w-]{43}/g) ?? [];
    expect(keys).toHaveLength(4);
    expect([...keys, CLIENT_SECRET].map(times)).toEqual([0, 0, 0, 0, 0]);
  });
});

interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed' | 'not looked at';
  detail: string;
}

const WORDS = { ok: 'ok      ', warning: 'WARNING ', failed: 'FAILED  ', 'not looked at': '-       ' };

const lineOf = ({ check, state, detail }: Finding) =>
  `${WORDS[state]}${check}: ${state === 'not looked at' ? 'not looked at: ' : ''}${detail}`;

const at = (name: string) => join(folder, 'doctor', name);

/** The names of the checks that failed, and all of them as the lines for people have them. */
async function examine(settings: Settings) {
  const { code, json } = await runJson(settings, 'doctor');
  const { findings } = json as { findings: Finding[] };
  const lines = findings.map(lineOf);
  expect(findings.map(({ check }) => check).join(', ')).toBe(
    'settings, keys, certificate, host, disk, database disk, database, instance, refreshing, dates, budget, reminders, authorization server, client, redirect URI, own clients, new API, old API, mail server, company sign-in, clock, public address',
  );
  return {
    code,
    failed: findings.filter(({ state }) => state === 'failed').map(({ check }) => check),
    lines,
  };
}

/** Other programs use the disk between two looks at it. */
const withoutSpace = (lines: string[]) => lines.map((line) => line.replace(/\d+ MB free/, 'some MB free'));

/** The same, where the form for people must agree with it. */
async function examineBoth(settings: Settings) {
  const found = await examine(settings);
  const { code, output, complaints } = await run(settings, 'doctor');
  expect(code).toBe(found.code);
  expect(withoutSpace(output.trimEnd().split('\n'))).toEqual(withoutSpace(found.lines));
  expect(complaints).toBe('');
  return found;
}

describe('doctor', () => {
  test('finds nothing wrong in a place that was never used, and writes nothing there', async () => {
    expect(await examine(settingsIn('doctor'))).toMatchObject({ code: 0, failed: [] });
    expect(existsSync(at(''))).toBe(false);
  });

  test('finds nothing wrong while everything is there', async () => {
    await run(settingsIn('doctor'), 'migrate');
    const { code, failed, lines } = await examineBoth(settingsIn('doctor'));
    expect({ code, failed }).toEqual({ code: 0, failed: [] });
    expect(lines.join('\n')).toContain(`${modern.url} answers (revocation, introspection)`);
  });

  test('fails while the modern side or the old API is away', async () => {
    const away = settingsIn('doctor', { MODERN_AUTH_URL: freeAddress, LEGACY_BACKEND_URL: freeAddress });
    const failed = ['authorization server', 'client', 'redirect URI', 'old API'];
    expect(await examineBoth(away)).toMatchObject({ code: 1, failed });
  });

  test('fails with the keys of another database, and with none, and makes none', async () => {
    copyFileSync(at('keys.json'), at('kept.json'));
    await run(settingsIn('other'), 'migrate');
    writeFileSync(at('keys.json'), readFileSync(join(folder, 'other', 'keys.json')));
    const foreign = await examine(settingsIn('doctor'));
    expect(foreign).toMatchObject({ code: 1, failed: ['database'] });
    expect(foreign.lines.join('\n')).toContain('is not the one that this database was used with');
    rmSync(at('keys.json'));
    expect(await examine(settingsIn('doctor'))).toMatchObject({ code: 1, failed: ['keys', 'database'] });
    expect(existsSync(at('keys.json'))).toBe(false);
    copyFileSync(at('kept.json'), at('keys.json'));
    expect(await examine(settingsIn('doctor'))).toMatchObject({ code: 0, failed: [] });
  });
});

describe('usage', () => {
  test.each([
    ['an unknown command', ['frobnicate']],
    ['an unknown command of apps', ['apps', 'remove']],
    ['no command of apps', ['apps']],
    ['an unknown option', ['doctor', '--loud']],
    ['an argument that nothing takes', ['migrate', 'now']],
    ['an option without its value', ['apps', 'add', '--name']],
    ['an app without an owner', ['apps', 'add', '--name', 'App', '--callback', ADDRESS]],
    ['an app without a callback', ['apps', 'add', '--name', 'App', '--owner', OWNER]],
  ])('%s ends with 2, says so, and touches nothing', async (_what, args) => {
    const { code, output, complaints } = await run(settingsIn('usage'), ...args);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(complaints).not.toBe('');
    expect(existsSync(join(folder, 'usage'))).toBe(false);
  });

  test.each([[['--help']], [['apps', '--help']], [['apps', 'add', '--help']], [['doctor', '--help']]])(
    '%j explains and ends with 0',
    async (args) => {
      const { code, output, complaints } = await run(settingsIn('usage'), ...args);
      expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
      expect(output).toContain('Usage: grantbridge');
    },
  );

  test('settings that are wrong end a command with 1 and their names', async () => {
    const { code, output, complaints } = await run(settingsIn('usage', { LOG_LEVEL: 'loud' }), 'doctor');
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(complaints).toContain('LOG_LEVEL: must be');
  });
});
