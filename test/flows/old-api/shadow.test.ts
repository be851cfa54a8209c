import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { shadowCommand } from '../../../src/cli/commands/apps/shadow.ts';
import { describeShadow } from '../../../src/domain/reads/shadow.ts';
import { ensureAccount } from '../../../src/store/accounts/accounts.ts';
import { insertMapping } from '../../../src/store/tokens/mappings.ts';
import { until } from '../../support/servers/held-answer.ts';
import { authorizeIn, issueToken, read } from '../../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { testMode } from '../../support/jest/test-mode.ts';

/** LEGACY_SHADOW: both generations are asked, the caller gets one answer, and differences are counted by field. */

type Differences = Awaited<ReturnType<typeof describeShadow>>['differences'];

type Fields = { id: string } & Record<string, unknown>;

let system: System;
let old: OldBackend;
let account: OldAccount;
let profiles: Fields[];
let token: string;
let issued: string;

const counted = () => describeShadow(system.bridge.context);

async function total(): Promise<number> {
  const { compared, notAnswered } = await counted();
  return compared + notAnswered;
}

/** A tenth of the reads is compared, in the background; one of an earlier test may still be counted. */
async function readUntil(path: string, isEnough: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    expect((await read(system, path, token)).status).toBe(200);
    return isEnough();
  });
}

/** Until one more was compared, or could not be. */
async function readUntilCompared(path: string): Promise<void> {
  const before = await total();
  await readUntil(path, async () => (await total()) > before);
}

/** What differs at an endpoint, without how often. */
async function differencesAt(endpoint: string): Promise<string[]> {
  const { differences } = await counted();
  return differences
    .filter((row) => row.endpoint === endpoint)
    .map(({ field, difference }) => `${field} ${difference}`)
    .toSorted();
}

/** The command on the database of the bridge that runs. */
async function runCommand(options: { clear?: boolean }) {
  const { database, context } = system.bridge;
  const before = process.env;
  process.env = {
    VAR_DIR: dirname(context.anchorsFile),
    DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
  };
  try {
    return await shadowCommand(options);
  } finally {
    process.env = before;
  }
}

beforeAll(async () => {
  account = { tokens: [], user: { id: '' }, profiles: [] };
  old = await startOldBackend({ accounts: [account] });
  system = await startSystem({
    env: { LEGACY_BACKEND_URL: old.url, LEGACY_SHADOW: 'on', LEGACY_RATE_LIMIT: '0' },
  });
  issued = await issueToken(system);
  profiles = (await read(system, '/1/profiles.json', issued)).json as Fields[];
  account.user = (await read(system, '/1/user.json', issued)).json as Fields;
  account.profiles = profiles;
  token = `1/${randomBytes(16).toString('hex')}`;
  account.tokens.push(token);
  const { store, vault, clock } = system.bridge.context;
  await ensureAccount(store.durable, account.user.id, clock.now());
  const app = await system.registerApp('https://old-one.example/callback');
  await insertMapping(store.durable, {
    id: randomBytes(12).toString('hex'),
    token_digest: vault.digest(token),
    client_id: app.clientId,
    account_id: account.user.id,
    state: 'unmapped',
    source: 'imported',
    created_at: clock.now(),
    updated_at: clock.now(),
  });
  await authorizeIn(system, { app });
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

beforeEach(async () => {
  await old.setBehaviour('normal');
  await runCommand({ clear: true });
});

test('answers that are equal are compared and count no difference', async () => {
  for (const path of ['/1/profiles.json', '/1/user.json', `/1/profiles/${profiles[0]?.id}.json`])
    await readUntilCompared(path);
  const { compared, notAnswered, differences } = await counted();
  expect(compared).toBeGreaterThanOrEqual(3);
  expect([notAnswered, differences]).toEqual([0, []]);
});

test('each field that differs is counted by its kind, with no value, and the command says so', async () => {
  const [first, second, ...rest] = profiles;
  if (!first || !second) throw new Error('the demo has too few channels');
  const { paused: _paused, ...without } = second;
  account.profiles = [
    ...rest,
    {
      ...first,
      service_username: 'a private name',
      default: 'yes',
      verb: 'tweet',
      avatar: 'http://old.example/a',
    },
    without,
  ];
  await readUntil('/1/profiles.json', async () => (await differencesAt('/1/profiles.json')).length > 0);
  expect(await differencesAt('/1/profiles.json')).toEqual([
    'profiles[].default type',
    'profiles[].paused added',
    'profiles[].service_username value',
    'profiles[].verb missing',
  ]);
  const one = '/1/profiles/:id.json';
  await readUntil(`/1/profiles/${second.id}.json`, async () => (await differencesAt(one)).length > 0);
  const { lines, json } = await runCommand({});
  const row = (json['differences'] as Differences).find(({ field }) => field === 'profiles[].verb');
  expect(row).toMatchObject({ endpoint: '/1/profiles.json', difference: 'missing' });
  expect(row?.times).toBeGreaterThan(0);
  expect(row?.compared).toBeGreaterThanOrEqual(row?.times ?? Number.NaN);
  expect(lines.join('\n')).toMatch(
    /^\/1\/profiles\/:id\.json  profile\.paused  only the new answer has this field: \d+ of \d+$/m,
  );
  expect(JSON.stringify([lines, json])).not.toContain('private');
});

test('while the old backend does not answer, callers do not notice and it is counted', async () => {
  await old.setBehaviour('down');
  await readUntil('/1/user.json', async () => (await counted()).notAnswered > 0);
});

test('no caller waits for an old backend that does not answer, and few comparisons run at once', async () => {
  await readUntilCompared('/1/user.json');
  await old.setBehaviour('slow');
  const before = old.requests.length;
  const start = performance.now();
  for (let call = 0; call < 100; call += 1) await read(system, '/1/user.json', token);
  expect(performance.now() - start).toBeLessThan(30_000);
  const asked = old.requests.length - before;
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(2 * testMode.workers);
  await old.setBehaviour('down');
});

test('a token of the bridge is never compared: the old backend does not know it', async () => {
  for (let call = 0; call < 60; call += 1) await read(system, '/1/user.json', issued);
  expect(old.requests.filter(({ headers }) => headers.authorization?.includes(issued))).toEqual([]);
  expect(old.requests.some(({ headers }) => headers.authorization?.includes(token))).toBe(true);
});
