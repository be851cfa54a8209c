import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import { purgeExpired } from '../../../src/domain/purge-expired.ts';
import { registerApp } from '../../../src/domain/apps/register-app.ts';
import { ensureAccount } from '../../../src/store/accounts/accounts.ts';
import { storeAnswer } from '../../../src/store/grants/answers.ts';
import { insertDecision } from '../../../src/store/authorization/authorization-requests.ts';
import { insertGrant } from '../../../src/store/grants/grants.ts';
import { insertCode } from '../../../src/store/authorization/legacy-codes.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';

/** What is removed when nobody may need it any more, and not a moment before. */

const START = Date.parse('2026-01-01T00:00:00Z');
const DAY = 86_400_000;
const ACCOUNT = 'b'.repeat(24);

const folder = mkdtempSync(join(tmpdir(), 'purge-'));
const clock = new SettableClock(START);
let opened: OpenContext;
let clientId: string;

const database = () => opened.context.store.durable;

function grantRow(id: string) {
  return {
    id,
    client_id: clientId,
    account_id: ACCOUNT,
    modern_client_id: 'bridge',
    version: 1,
    access_token_sealed: 'a',
    refresh_token_sealed: 'r',
    scope: 'account:read',
    access_expires_at: START,
    refresh_at: START,
    created_at: START,
    updated_at: START,
    rotated_at: START,
  };
}

beforeAll(async () => {
  const config = readConfig({
    VAR_DIR: folder,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
    PROFILES_STALE_SECONDS: '3600',
    LOG_LEVEL: 'error',
  });
  if (!config.upstream) throw new Error('the settings name a modern side');
  opened = await openContext(config, config.upstream, { clock });
  const callbacks = ['https://old-app.example/callback'];
  const app = await registerApp(opened.context, {
    name: 'A',
    callbacks,
    owner: 'a@b.example',
    actor: 'test',
    requestId: null,
  });
  clientId = app?.clientId ?? '';
  await ensureAccount(database(), ACCOUNT, START);
  await insertGrant(database(), { ...grantRow('live'), state: 'ready' });
  await insertGrant(database(), {
    ...grantRow('dead'),
    state: 'dead',
    dead_at: START,
    dead_cause: 'refused',
  });
});

afterAll(async () => {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

async function purgeAt(time: number): Promise<void> {
  clock.set(time);
  await purgeExpired(opened.context);
}

const codes = () => database().selectFrom('legacy_codes').select('code_digest').execute();

const requests = () => database().selectFrom('authorization_requests').select('id').execute();

const answers = () => opened.context.store.volatile.selectFrom('answers').select('grant_id').execute();

/** The grants with what is left of their pairs. */
const pairs = async () => {
  const rows = await database()
    .selectFrom('grants')
    .select(['id', 'access_token_sealed', 'refresh_token_sealed'])
    .orderBy('id')
    .execute();
  return rows.map((row) => Object.values(row).join(' ').trim());
};

const callback = { redirect_uri: 'https://old-app.example/callback', redirect_uri_given: 1 };

test('a code, spent or not, is kept for a day after its end and then removed', async () => {
  for (const [code_digest, used_at] of [
    ['spent', START],
    ['unspent', null],
  ] as const) {
    const ends = { created_at: START - 30_000, expires_at: START };
    const owner = { client_id: clientId, account_id: ACCOUNT, grant_id: 'live' };
    await insertCode(database(), { code_digest, used_at, ...owner, ...callback, ...ends });
  }
  await purgeAt(START + DAY);
  expect(await codes()).toHaveLength(2);
  await purgeAt(START + DAY + 1);
  expect(await codes()).toEqual([]);
});

test('an authorization request is kept for a day after its end and then removed', async () => {
  const ends = { created_at: START - 1, expires_at: START };
  await insertDecision(database(), { id: 'q', client_id: clientId, phase: 'returned', ...callback, ...ends });
  await purgeAt(START + DAY);
  expect(await requests()).toHaveLength(1);
  await purgeAt(START + DAY + 1);
  expect(await requests()).toEqual([]);
});

test('the sealed pair of a dead grant is kept for seven days and then erased; its row and the pair of the living stay', async () => {
  await purgeAt(START + 7 * DAY);
  expect(await pairs()).toEqual(['dead a r', 'live a r']);
  await purgeAt(START + 7 * DAY + 1);
  expect(await pairs()).toEqual(['dead', 'live a r']);
  await purgeAt(START + 400 * DAY);
  expect(await pairs()).toEqual(['dead', 'live a r']);
});

test('an answer is kept as long as it may be served and then dropped', async () => {
  const answer = { body: '{}', organization_ids: '[]', fetched_at: START };
  await storeAnswer(opened.context.store, 'live', answer);
  await purgeAt(START + 3_600_000);
  expect(await answers()).toHaveLength(1);
  await purgeAt(START + 3_600_001);
  expect(await answers()).toEqual([]);
});
