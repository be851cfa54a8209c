import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizeIn, exchange, read, tokenOf } from '../support/legacy-calls.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { startSystem, type System } from '../support/system.ts';

/** After a whole life of a token no secret stands in any file below VAR_DIR but the key file (design 5). */

const VAR_DIR = mkdtempSync(join(tmpdir(), 'at-rest-'));
let system: System;
const secrets = new Map<string, string>();

beforeAll(async () => {
  const clock = new SettableClock();
  system = await startSystem({ clock, env: { VAR_DIR, PROFILES_FRESH_SECONDS: '0' } });
  system.proxy.onTokenAnswer = (call, answer) => {
    const pair = JSON.parse(answer.body.toString()) as Record<string, string>;
    secrets.set(`access token after ${call.grantType}`, String(pair['access_token']));
    secrets.set(`refresh token after ${call.grantType}`, String(pair['refresh_token']));
    return answer;
  };
  const state = 'state-canary-0123456789';
  const { code = '' } = await authorizeIn(system, { state });
  const token = tokenOf(await exchange(system, code));
  await read(system, '/1/profiles.json', token);
  clock.advance(3_700_000);
  await read(system, '/1/profiles.json', token);
  const modernCode = system.proxy.calls.find((call) => call.grantType === 'authorization_code')?.code;
  for (const [name, value] of Object.entries({
    state,
    code,
    token,
    modernCode,
    clientSecret: system.app.clientSecret,
  })) {
    secrets.set(name, String(value));
  }
});

afterAll(async () => {
  await system.stop();
  rmSync(VAR_DIR, { recursive: true, force: true });
});

function formsOf(secret: string): string[] {
  const bare = secret.replace(/^1\//, '');
  return [bare, Buffer.from(secret).toString('base64').replace(/=+$/, ''), Buffer.from(bare).toString('hex')];
}

test('nine kinds of secrets were really used', () => {
  expect([...secrets.keys()].toSorted()).toHaveLength(9);
  expect([...secrets.values()].filter((value) => value.length < 20)).toEqual([]);
});

test('none of them stands in a file, in the clear, as hex or as base64', () => {
  const files = readdirSync(VAR_DIR).filter((name) => name !== 'keys.json');
  expect(files.filter((name) => name.endsWith('.db'))).toEqual(['bridge-volatile.db', 'bridge.db']);
  for (const name of files) {
    const bytes = readFileSync(join(VAR_DIR, name)).toString('latin1');
    const found = [...secrets].filter(([, secret]) => formsOf(secret).some((form) => bytes.includes(form)));
    expect(found.map(([kind]) => `${kind} in ${name}`)).toEqual([]);
  }
});

test('the key file is readable by its owner alone', () => {
  expect(statSync(join(VAR_DIR, 'keys.json')).mode & 0o777).toBe(0o600);
});
