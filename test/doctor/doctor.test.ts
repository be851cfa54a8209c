import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { doctor, examineAll } from '../../src/cli/commands/doctor.ts';
import { checkDisk } from '../../src/cli/commands/doctor/machine-checks.ts';
import type { CheckFinding } from '../../src/domain/checks/verdict.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { readConfig } from '../../src/config/config.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { certificateFor } from '../support/servers/certificates.ts';
import { startEmbeddedModern } from '../support/servers/embedded-modern.ts';
import { bodyOf, forward, send } from '../support/servers/forward.ts';
import { freePort } from '../support/servers/free-port.ts';
import { HELD, readDocument, rowsBelow } from '../support/guidance.ts';
import { BRIDGE_CLIENT, type ModernSide } from '../support/servers/modern-side.ts';
import { type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';
import { withServer } from './support/with-server.ts';

/** `doctor` beside real servers, each check where all is right and where something is wrong. */

const before = process.env;
const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
const SECRET = 'a-right-secret-of-the-client-0123456789';
const PASSWORD = 'hush-7Yq#of-the-mail-server';
const fileOf = (name: string) => join(folder, name);
let modern: ModernSide;
let oldApi: OldBackend;
let mails: SmtpDoor;
let nowhere: string;
let right: Record<string, string>;

const smtpUrl = (password: string, port = mails.port) =>
  `smtp://bridge:${encodeURIComponent(password)}@127.0.0.1:${port}`;

beforeAll(async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  nowhere = `http://127.0.0.1:${await freePort()}`;
  const redirectUri = 'https://localhost:3000/callback';
  modern = await startEmbeddedModern({
    port,
    issuer,
    redirectUri,
    accessTokenSeconds: 3600,
    clientSecret: SECRET,
  });
  oldApi = await startOldBackend({ accounts: [] });
  mails = await startSmtpServer({
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'bridge' && password === PASSWORD
        ? done(null, { user: 'bridge' })
        : done(Object.assign(new Error('No such login'), { responseCode: 535 })),
  });
  const { cert, key } = await certificateFor(['localhost']);
  writeFileSync(fileOf('cert.pem'), cert);
  writeFileSync(fileOf('key.pem'), key, { mode: 0o600 });
  right = {
    VAR_DIR: fileOf('var'),
    LOG_LEVEL: 'error',
    PUBLIC_URL: 'https://localhost:3000',
    MODERN_AUTH_URL: modern.url,
    MODERN_API_URL: modern.url,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    MODERN_CLIENT_SECRET: SECRET,
    LEGACY_BACKEND_URL: oldApi.url,
    SMTP_URL: smtpUrl(PASSWORD),
    MAIL_FROM: 'bridge@localhost.example',
    TLS_CERT_FILE: fileOf('cert.pem'),
    TLS_KEY_FILE: fileOf('key.pem'),
  };
  process.env = right;
  await migrateDatabase({});
});

afterAll(async () => {
  process.env = before;
  await Promise.all([modern.close(), oldApi.close(), mails.close()]);
  rmSync(folder, { recursive: true });
});

const used = (given: Record<string, string>) => (process.env = { ...right, ...given });

async function findingsOf(given: Record<string, string> = {}) {
  used(given);
  const { ok, json, lines } = await doctor();
  const findings = json['findings'] as CheckFinding[];
  expect(lines.join('\n')).not.toContain(PASSWORD);
  expect(lines.join('\n')).not.toContain(SECRET);
  const state = (name: string) => findings.find(({ check }) => check === name);
  const failed = findings.filter((one) => one.state === 'failed').map(({ check }) => check);
  return { ok, failed, state };
}

const matching = (text: string) => expect.stringContaining(text) as string;

const REMOTE = 'authorization server, client, redirect URI, new API, old API, mail server, clock'.split(', ');

test('says ok of each where all is right, with what it did, and of the rest that it did not look', async () => {
  const { ok, failed, state } = await findingsOf();
  expect([ok, failed]).toEqual([true, []]);
  for (const name of [...REMOTE, 'keys', 'certificate', 'database', 'instance'])
    expect(state(name)).toMatchObject({ check: name, state: 'ok' });
  expect(state('client')?.detail).toContain('SECRET: the authorization server accepted the client');
  expect(state('redirect URI')?.detail).toContain('https://localhost:3000/callback leads to a sign-in');
  expect(state('certificate')?.detail).toMatch(/belong together; \d+ days left/);
  expect(state('keys')?.detail).toContain('(mode 600)');
  expect(state('mail server')?.detail).toContain('accepts connection and login');
  expect(mails.mails).toEqual([]);
  expect(state('public address')).toMatchObject({ state: 'not looked at' });
});

test('looks at what the document says, in that order', async () => {
  const head = '| Check | What it does | What it does not show |';
  const rows = rowsBelow(readDocument(HELD.commands), head);
  const named = rows.flatMap(([cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  used({});
  const findings = (await doctor()).json['findings'] as CheckFinding[];
  expect(findings.map(({ check }) => check)).toEqual(named);
});

test.each([
  ['a wrong secret', { MODERN_CLIENT_SECRET: 'a-wrong-secret' }, ['client'], 'invalid_client'],
  ['no secret', { MODERN_CLIENT_SECRET: '' }, ['client'], 'MODERN_CLIENT_SECRET is not set'],
  ['an unknown client', { MODERN_CLIENT_ID: 'nobody' }, ['client'], 'MODERN_CLIENT_ID'],
  ['another public address', { PUBLIC_URL: 'https://other.example' }, ['redirect URI'], 'refuses https'],
  [
    'an unknown scope',
    { MODERN_SCOPES: 'account:read offline_access no:such' },
    ['redirect URI'],
    'MODERN_SCOPES',
  ],
])('fails by the name of the setting with %s', async (_what, given, expected, words) => {
  const { ok, failed, state } = await findingsOf(given);
  expect([ok, failed]).toEqual([false, expected]);
  expect(state(expected[0] ?? '')?.detail).toContain(words);
});

test('the addresses of both APIs are those where an API asks for a token', async () => {
  const api = await findingsOf({ MODERN_API_URL: oldApi.url });
  expect([api.ok, api.failed]).toEqual([false, ['new API']]);
  expect(api.state('new API')?.detail).toMatch(/^MODERN_API_URL: .* answers 40\d to a call without a token/);
  const away = await findingsOf({ MODERN_API_URL: nowhere, LEGACY_BACKEND_URL: nowhere });
  expect(away.failed).toEqual(['new API', 'old API']);
  expect(away.state('old API')?.detail).toContain('ECONNREFUSED');
  const other = await findingsOf({ LEGACY_BACKEND_URL: modern.url });
  expect(other.failed).toEqual(['old API']);
  const notOne = await findingsOf({ MODERN_AUTH_URL: oldApi.url });
  expect(notOne.failed).toEqual(['client', 'redirect URI']);
  expect(notOne.state('authorization server')).toMatchObject({ state: 'warning' });
  expect(notOne.state('redirect URI')?.detail).toContain('has no authorization endpoint');
  const none = await findingsOf({ LEGACY_BACKEND_URL: '' });
  expect([none.ok, none.state('old API')]).toMatchObject([true, { state: 'not looked at' }]);
});

test('the mail server is gone to as far as its login', async () => {
  const wrong = await findingsOf({ SMTP_URL: smtpUrl('another') });
  expect(wrong.failed).toEqual(['mail server']);
  expect(wrong.state('mail server')?.detail).toMatch(/^SMTP_URL: Invalid login: 535/);
  const away = await findingsOf({ SMTP_URL: smtpUrl(PASSWORD, Number(new URL(nowhere).port)) });
  expect(away.failed).toEqual(['mail server']);
  expect(away.state('mail server')?.detail).toContain('ECONNREFUSED');
  const open = await findingsOf({ SMTP_URL: `smtp://127.0.0.1:${mails.port}` });
  expect(open.state('mail server')).toMatchObject({ state: 'ok', detail: matching('names no login') });
  const none = await findingsOf({ SMTP_URL: '' });
  expect(none.state('mail server')).toMatchObject({ state: 'not looked at', detail: 'SMTP_URL is not set' });
});

test('a login that the mail server does not offer is not taken for one that it took', async () => {
  const without = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  try {
    const { failed } = await findingsOf({ SMTP_URL: smtpUrl(PASSWORD, without.port) });
    expect(failed).toEqual(['mail server']);
  } finally {
    await without.close();
  }
});

async function certificateOf(name: string, days: { from: number; to: number }) {
  const { cert, key } = await certificateFor(['localhost'], {
    notBeforeDate: new Date(Date.now() + days.from * DAY),
    notAfterDate: new Date(Date.now() + days.to * DAY),
  });
  writeFileSync(fileOf(`${name}.cert`), cert);
  writeFileSync(fileOf(`${name}.key`), key);
  return { TLS_CERT_FILE: fileOf(`${name}.cert`), TLS_KEY_FILE: fileOf(`${name}.key`) };
}

test('the certificate fits its key and the public address, and lasts', async () => {
  const soon = await certificateOf('soon', { from: -80, to: 9.5 });
  const ending = (await findingsOf(soon)).state('certificate');
  expect(ending).toMatchObject({ state: 'warning', detail: matching('; 9 days left') });
  const over = (await findingsOf(await certificateOf('over', { from: -80, to: -1 }))).state('certificate');
  expect(over).toMatchObject({ state: 'failed', detail: matching('has expired at') });
  const early = (await findingsOf(await certificateOf('early', { from: 1, to: 80 }))).state('certificate');
  expect(early).toMatchObject({ state: 'failed', detail: matching('is valid only from') });
  const mixed = await findingsOf({ TLS_KEY_FILE: soon.TLS_KEY_FILE });
  expect(mixed.failed).toEqual(['certificate']);
  expect(mixed.state('certificate')?.detail).toMatch(/^TLS_KEY_FILE: .* is not the key of the certificate/);
  const named = (await findingsOf({ PUBLIC_URL: 'https://other.example' })).state('certificate');
  expect(named).toMatchObject({ state: 'warning', detail: matching('does not name other.example') });
  const none = (await findingsOf({ TLS_CERT_FILE: '', TLS_KEY_FILE: '' })).state('certificate');
  expect(none).toMatchObject({ state: 'not looked at' });
});

/** The modern side as a machine shows it whose clock is wrong by so much; undefined: which does not tell the time. */
function offBy(ms: number | undefined): RequestListener {
  const answerTo = async (request: IncomingMessage, response: ServerResponse) => {
    const answer = await forward(request, await bodyOf(request), modern.url);
    response.sendDate = false;
    const { date: _date, ...headers } = answer.headers;
    const date = ms === undefined ? {} : { date: new Date(Date.now() + ms).toUTCString() };
    send(response, { ...answer, headers: { ...headers, ...date } });
  };
  return (request, response) => void answerTo(request, response);
}

test.each([
  ['ahead of', -3_600_000, 'failed'],
  ['behind', 3_600_000, 'failed'],
  ['behind', 30_000, 'warning'],
])('a clock %s that of the servers by %d ms is %s', async (word, ms, state) => {
  await withServer(createHttpServer(offBy(ms)), async (url) => {
    const settings = { MODERN_AUTH_URL: url, MODERN_API_URL: url, LEGACY_BACKEND_URL: '' };
    const found = await findingsOf(settings);
    expect(found.state('clock')).toMatchObject({ state, detail: matching(`seconds ${word} ${url}`) });
  });
});

test('a clock with nothing to compare is not looked at, and endpoints at another address are told of', async () => {
  await withServer(createHttpServer(offBy(undefined)), async (url) => {
    const { state } = await findingsOf({ MODERN_AUTH_URL: url, MODERN_API_URL: url, LEGACY_BACKEND_URL: '' });
    const detail = matching('it names introspection_endpoint, revocation_endpoint at another');
    expect([state('clock')?.state, state('authorization server')]).toMatchObject([
      'not looked at',
      { detail },
    ]);
  });
});

test('a disk without room fails, and one that has room is told', async () => {
  await expect(checkDisk({ varDir: '/proc' })).rejects.toThrow('0 MB free at /proc');
  const { state } = await findingsOf();
  expect(state('disk')?.detail).toMatch(/^\d+ MB free at /);
});

test.each(['640', '604'])('a key file of mode %s, which others may read, fails', async (mode) => {
  chmodSync(fileOf('var/keys.json'), Number.parseInt(mode, 8));
  const { failed, state } = await findingsOf();
  chmodSync(fileOf('var/keys.json'), 0o600);
  expect(failed).toEqual(['keys', 'database']);
  expect(state('keys')?.detail).toContain(`(mode ${mode}), use chmod 600`);
  for (const name of REMOTE) expect(state(name)).toMatchObject({ state: 'not looked at' });
});

test('before the first start all others are asked, and nothing of ours was looked at', async () => {
  const { ok, state } = await findingsOf({ VAR_DIR: fileOf('new') });
  expect(ok).toBe(true);
  for (const name of REMOTE) expect(state(name)).toMatchObject({ state: 'ok' });
  for (const name of ['keys', 'database', 'instance', 'refreshing', 'dates', 'budget'])
    expect(state(name)).toMatchObject({ state: 'not looked at' });
  expect(state('database')?.detail).toContain('grantbridge migrate');
});

test('the embedded modern side is not looked at before its first start, and nothing is made', async () => {
  process.env = { VAR_DIR: fileOf('demo'), LOG_LEVEL: 'error' };
  const findings = (await doctor()).json['findings'] as CheckFinding[];
  const state = (name: string) => findings.find(({ check }) => check === name)?.state;
  expect(REMOTE.map(state)).toEqual(REMOTE.map(() => 'not looked at'));
  expect(existsSync(fileOf('demo'))).toBe(false);
});

test('servers that take a connection and never answer hold no check for longer than its limit', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await withServer(silent, async (url) => {
    const settings = { MODERN_AUTH_URL: url, MODERN_API_URL: url, LEGACY_BACKEND_URL: url };
    used({ ...settings, SMTP_URL: smtpUrl(PASSWORD, Number(new URL(url).port)) });
    const findings = await examineAll(readConfig(), 300);
    for (const socket of sockets) socket.destroy();
    const late = findings.filter(({ detail }) => detail === 'the check got no answer within 0.3 seconds');
    expect(late.map(({ check }) => check)).toEqual(REMOTE.slice(0, -1));
    expect(findings.find(({ check }) => check === 'clock')).toMatchObject({ state: 'not looked at' });
  });
});
