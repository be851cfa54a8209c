import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateFor } from '../../support/servers/certificates.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { until } from '../../support/servers/held-answer.ts';
import { run } from '../commands/operator-command.ts';
import { buildProgram, runProgram, type Settings, startProgram } from '../running-program.ts';
import { choosePlace, startWholeSystem } from '../whole-system.ts';

/** What is unsafe in production refuses to start, with every reason at once, and leaves nothing behind. */

const folder = mkdtempSync(join(tmpdir(), 'production-'));
const varDir = join(folder, 'var');

/** A modern side that nobody asks in these tests. */
const MODERN = {
  MODERN_AUTH_URL: 'https://auth.example',
  MODERN_API_URL: 'https://api.example',
  MODERN_CLIENT_ID: 'bridge',
};

beforeAll(() => buildProgram(), 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a start that is unsafe in five ways names all five, ends with 1, and makes neither keys nor database', async () => {
  const unsafe = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://localhost:3000',
    VAR_DIR: varDir,
    DATABASE_URL: 'postgres://user:hush7Yq@127.0.0.1:9/name?options=-c%20synchronous_commit%3Doff',
  };
  const { code, complaints } = await runProgram(unsafe);
  expect(code).toBe(1);
  for (const reason of [
    'DATABASE_URL: the options must not switch synchronous_commit off',
    'MODERN_AUTH_URL, MODERN_API_URL, MODERN_CLIENT_ID: must be set in production',
    'PUBLIC_URL: must not be a loopback address',
    'TLS_CERT_FILE, TRUST_PROXY: production needs TLS',
    `VAR_DIR, KEYS_FILE: ${join(varDir, 'keys.json')} is missing`,
  ])
    expect(complaints).toContain(reason);
  expect(complaints).not.toContain('hush7Yq');
  expect(await run(unsafe, 'doctor')).toMatchObject({ code: 1, output: '' });
  expect(existsSync(varDir)).toBe(false);
});

async function safeSettings(): Promise<Settings> {
  const { cert, key } = await certificateFor(['bridge.example']);
  const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(TLS_CERT_FILE, cert);
  writeFileSync(TLS_KEY_FILE, key, { mode: 0o600 });
  const PUBLIC_URL = 'https://bridge.example';
  const PORT = String(await freePort());
  return {
    ...MODERN,
    NODE_ENV: 'production',
    PUBLIC_URL,
    PORT,
    VAR_DIR: varDir,
    TLS_CERT_FILE,
    TLS_KEY_FILE,
  };
}

test('the keys of a start outside production serve in production', async () => {
  expect(await run({ ...MODERN, VAR_DIR: varDir }, 'migrate')).toMatchObject({ code: 0 });
  expect(readdirSync(varDir)).toContain('keys.json');
  const { process: child, said, ended } = startProgram(await safeSettings());
  await until(() => said.output.includes('Stop with Ctrl-C.') || child.exitCode !== null, 30_000);
  child.kill('SIGTERM');
  expect([await ended, said.complaints.includes('"level":"error"')]).toEqual([0, false]);
  expect(said.output).toContain('https://bridge.example');
  expect(said.output).toMatch(/\nstopping: calls are accepted for 5 more seconds\nstopped\n$/);
  // Without SMTP_URL.
  expect(said.complaints).toContain('"message":"no reminders are planned or sent: set SMTP_URL');
});

test('a database in which the demo was started is refused, before anything is served', async () => {
  const settings = { ...(await safeSettings()), VAR_DIR: join(folder, 'demo') };
  const place = await choosePlace();
  const demo = await startWholeSystem({ ...place.settings, VAR_DIR: settings.VAR_DIR });
  await demo.stop();
  place.remove();
  const { code, complaints } = await runProgram(settings);
  expect([code, complaints]).toEqual([
    1,
    expect.stringContaining(
      'the database holds the demo app 4e9680c0512f7ed3220000de, whose secret and token are public',
    ),
  ]);
  expect(complaints).not.toContain('demo-secret-for-loopback-only');
});
