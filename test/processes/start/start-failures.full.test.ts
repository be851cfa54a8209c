import { type ChildProcess, spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { certificateFor } from '../../support/servers/certificates.ts';
import { freshDatabase, type TestDatabase } from '../../support/database/database.ts';
import { freePort, portOf } from '../../support/servers/free-port.ts';
import { run } from '../commands/operator-command.ts';
import { buildProgram, runProgram, type Settings } from '../running-program.ts';

/**
 * Every start that fails ends with 1 and names what is wrong. A process that stays alive is taken for one that serves. On
 * PostgreSQL, for its connections keep a process alive that does not end by itself.
 */

const checkout = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'start-failures-'));
const inFolder = (name: string) => join(folder, name);
let database: TestDatabase;
let other: TestDatabase;
let taken: Server;
/** Settings with which the bridge starts. */
let sound: Settings;

const write = (name: string, text: string, mode = 0o600) => {
  writeFileSync(inFolder(name), text, { mode });
  return inFolder(name);
};

async function makeCertificates(): Promise<void> {
  const [ours, theirs] = [await certificateFor(['bridge.test']), await certificateFor(['other.test'])];
  write('cert.pem', ours.cert);
  write('key.pem', ours.key);
  write('other-key.pem', theirs.key);
  const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'word' } as const;
  write('locked-key.pem', createPrivateKey(ours.key).export(locked) as string);
  write('text.log', 'no certificate, only a line of a log\n');
}

beforeAll(async () => {
  await buildProgram();
  [database, other] = [await freshDatabase(), await freshDatabase()];
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  await makeCertificates();
  sound = {
    VAR_DIR: inFolder('var'),
    PORT: '0',
    DATABASE_URL: database.url,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
  };
  expect((await run(sound, 'migrate')).code).toBe(0);
  const theirs = { ...sound, DATABASE_URL: other.url, VAR_DIR: inFolder('other') };
  expect((await run(theirs, 'migrate')).code).toBe(0);
});

afterAll(async () => {
  taken.close();
  await Promise.all([database.drop(), other.drop()]);
  rmSync(folder, { recursive: true, force: true });
});

const tls = (cert: string, key: string): Settings => ({
  TLS_CERT_FILE: inFolder(cert),
  TLS_KEY_FILE: inFolder(key),
});

/** Only a production may listen on what is not loopback; it wants a database that keeps what it commits. */
const elsewhere = (HOST: string): Settings => ({
  HOST,
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://bridge.test',
  TRUST_PROXY: 'loopback',
  VAR_DIR: inFolder('elsewhere'),
  KEYS_FILE: inFolder('var/keys.json'),
  DATABASE_URL: `sqlite:${inFolder('elsewhere/bridge.db')}`,
});

const takenPort = () => String(portOf(taken));

async function otherName(): Promise<Settings> {
  const url = new URL(database.url);
  url.pathname = '/no_such_database';
  return { DATABASE_URL: url.href };
}

/** What is wrong, the settings that say so beside the sound ones, and how the complaint begins. */
const FAILURES: Array<[string, () => Settings | Promise<Settings>, string | RegExp]> = [
  ['no certificate there', () => tls('none.pem', 'key.pem'), 'TLS_CERT_FILE: cannot be read'],
  ['a folder as certificate', () => tls('.', 'key.pem'), 'TLS_CERT_FILE: is a folder'],
  ['a text as certificate', () => tls('text.log', 'key.pem'), /TLS_CERT_FILE: .* holds no certificate/],
  ['a text as key', () => tls('cert.pem', 'text.log'), /TLS_KEY_FILE: .* holds no private key/],
  ['no key there', () => tls('cert.pem', 'none.pem'), 'TLS_KEY_FILE: cannot be read'],
  ['both the wrong way round', () => tls('key.pem', 'cert.pem'), 'TLS_CERT_FILE: '],
  [
    'the key of another certificate',
    () => tls('cert.pem', 'other-key.pem'),
    /TLS_KEY_FILE: .* is not the key of the certificate/,
  ],
  ['a key with a passphrase', () => tls('cert.pem', 'locked-key.pem'), /TLS_KEY_FILE: .* passphrase/],
  ['a host of nobody', () => elsewhere('no-host.invalid'), /HOST: no-host.invalid is no address/],
  ['a host of another machine', () => elsewhere('192.0.2.1'), /HOST: 192.0.2.1 is no address/],
  ['a port that is taken', () => ({ PORT: takenPort() }), /PORT: port \d+ on 127.0.0.1 is taken/],
  [
    'a port that is taken, for workers',
    () => ({ PORT: takenPort(), WORKERS: '2' }),
    /PORT: port \d+ on 127.0.0.1 is taken/,
  ],
  [
    'the key of another certificate, for workers',
    () => ({ ...tls('cert.pem', 'other-key.pem'), WORKERS: '2' }),
    /TLS_KEY_FILE: .* is not the key of the certificate/,
  ],
  [
    'a database where nothing listens',
    async () => ({ DATABASE_URL: `postgres://user@127.0.0.1:${await freePort()}/name` }),
    'DATABASE_URL: the server cannot be reached: nothing listens at the address: the server is stopped, or the port is wrong (ECONNREFUSED)',
  ],
  ['a database that is not there', otherName, 'DATABASE_URL: database "no_such_database" does not exist'],
  [
    'a SQLite file that is none',
    () => ({ DATABASE_URL: `sqlite:${inFolder('text.log')}` }),
    /DATABASE_URL: .*text\.log cannot be opened: file is not a database/,
  ],
  ['a SQLite folder', () => ({ DATABASE_URL: `sqlite:${folder}` }), /DATABASE_URL: /],
  [
    'the keys of another database',
    () => ({ KEYS_FILE: inFolder('other/keys.json') }),
    /KEYS_FILE: .* is not the one that this database was used with/,
  ],
  ['a key file that is none', () => ({ KEYS_FILE: inFolder('text.log') }), /KEYS_FILE: .* JSON/],
  ['a folder as key file', () => ({ KEYS_FILE: inFolder('var') }), /KEYS_FILE: .* is a folder/],
  ['no key file', () => ({ KEYS_FILE: inFolder('none.json') }), /KEYS_FILE: .* is missing/],
  [
    'a key file that others may read',
    () => ({ KEYS_FILE: write('open.json', '{}', 0o644) }),
    /KEYS_FILE: .* can be read by others/,
  ],
  ['a file as VAR_DIR', () => ({ VAR_DIR: inFolder('text.log') }), /VAR_DIR: .* is not a folder/],
  ['a folder that cannot be made', () => ({ VAR_DIR: '/proc/none' }), 'VAR_DIR: '],
  [
    'a memory that cannot be read',
    () => {
      mkdirSync(inFolder('unread'), { recursive: true });
      write('unread/epoch.json', 'half a li');
      return { VAR_DIR: inFolder('unread'), KEYS_FILE: inFolder('var/keys.json') };
    },
    /VAR_DIR: .*epoch\.json cannot be read/,
  ],
  [
    'another kind of database',
    () => ({ DATABASE_URL: 'mysql://user:word@db.example/name' }),
    'DATABASE_URL: must be sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME',
  ],
  [
    'a mail server that is no address',
    () => ({ SMTP_URL: 'mail.example', MAIL_FROM: 'a@mail.example' }),
    'SMTP_URL: must be smtp://USER:PASSWORD@HOST:PORT',
  ],
  [
    'a secret without its client',
    () => ({ MODERN_AUTH_URL: '', MODERN_API_URL: '', MODERN_CLIENT_ID: '', MODERN_CLIENT_SECRET: 'word' }),
    'MODERN_CLIENT_SECRET: needs MODERN_CLIENT_ID',
  ],
  ['production without what it needs', () => ({ NODE_ENV: 'production' }), 'PUBLIC_URL: must be set'],
];

/** Those that did not end, where the test shows a defect. */
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Serves as a service manager does; resolves when the process has ended, whatever it was. */
async function serveHere(program: string, settings: Settings) {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  started.push(child);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, complaints };
}

test.each(FAILURES)('serve with %s ends with 1 and says so', async (_what, wrong, words) => {
  const { code, complaints } = await serveHere(join(checkout, 'dist/program/cli.js'), {
    ...sound,
    ...(await wrong()),
  });
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: expect[typeof words === 'string' ? 'stringContaining' : 'stringMatching'](
      words as never,
    ) as string,
  });
});

test('the program of npm start ends with 1 likewise', async () => {
  const { code, complaints } = await runProgram({ ...sound, ...tls('cert.pem', 'other-key.pem') });
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: expect.stringMatching(/TLS_KEY_FILE: /) as string,
  });
});

test.each(['MODERN_PORT', 'DEMO_PORT', 'DEMO_OLD_API_PORT'])(
  'a taken %s of the embedded parts ends with 1 and names it',
  async (name) => {
    const settings = {
      VAR_DIR: inFolder(`embedded-${name}`),
      PORT: '0',
      MODERN_PORT: '0',
      DEMO_PORT: '0',
      DEMO_OLD_API_PORT: '0',
      [name]: takenPort(),
    };
    const { code, complaints } = await serveHere(join(checkout, 'dist/program/cli.js'), settings);
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: expect.stringContaining(`${name}: `) as string,
    });
  },
);

/** A deployment that left files behind. */
function incompleteCopy(name: string, missing: string): string {
  const place = inFolder(name);
  for (const part of ['dist', 'db', 'src', 'package.json'])
    cpSync(join(checkout, part), join(place, part), { recursive: true });
  symlinkSync(join(checkout, 'node_modules'), join(place, 'node_modules'));
  rmSync(join(place, missing), { recursive: true });
  return join(place, 'dist/program/cli.js');
}

test.each([
  ['the pages', 'src/http'],
  ['a page that others include', 'src/http/site/notice.eta'],
  ['the style', 'src/shared/pages'],
  ['the scripts of the pages', 'src/http/pages/assets'],
  ['the migrations', 'db/postgres'],
])('a copy of the program without %s ends with 1 and names what is not there', async (_what, missing) => {
  const program = incompleteCopy(missing.replaceAll('/', '-'), missing);
  const { code, complaints } = await serveHere(program, sound);
  const told = missing.endsWith('.eta') ? basename(missing, '.eta') : missing;
  expect({ code, complaints }).toEqual({ code: 1, complaints: expect.stringContaining(told) as string });
});
