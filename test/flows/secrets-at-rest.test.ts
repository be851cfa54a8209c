import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { authorizeIn, exchange, read, tokenOf } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/**
 * After a whole life of a token no secret stands in any file below VAR_DIR but the key file, nor in any row of a
 * database that is elsewhere (docs/decisions/0007).
 */

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

type Kept = Array<[name: string, content: string]>;

function keptInFiles(): Kept {
  const files = readdirSync(VAR_DIR, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name), 'latin1')]);
}

async function keptInTables(url: string): Promise<Kept> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const kept: Kept = [];
  for (const { name } of tables.rows)
    kept.push([`table ${name}`, JSON.stringify((await client.query(`select * from ${name}`)).rows)]);
  await client.end();
  return kept;
}

test('none of them stands in a file or in a row, in the clear, as hex or as base64', async () => {
  const { database } = system.bridge;
  const kept = [...keptInFiles(), ...(database.kind === 'postgres' ? await keptInTables(database.url) : [])];
  const names = kept.map(([name]) => name);
  const expected = database.kind === 'sqlite' ? ['bridge.db', 'bridge-volatile.db'] : ['table grants'];
  expect(names).toEqual(expect.arrayContaining([...expected, 'keys.json']));
  for (const [name, content] of kept.filter(([each]) => each !== 'keys.json')) {
    const found = [...secrets].filter(([, secret]) => formsOf(secret).some((form) => content.includes(form)));
    expect(found.map(([kind]) => `${kind} in ${name}`)).toEqual([]);
  }
});

test('the key file is readable by its owner alone', () => {
  expect(statSync(join(VAR_DIR, 'keys.json')).mode & 0o777).toBe(0o600);
});
