import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { upsertAccount } from '../../src/store/accounts.ts';
import { insertApp } from '../../src/store/apps.ts';
import * as grants from '../../src/store/grants.ts';
import * as presentations from '../../src/store/presentations.ts';
import { claimCode, insertCode } from '../../src/store/legacy-codes.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import type { NewGrant } from '../../src/store/tables.ts';

/** What the claims of the store promise, each as one statement, from two connections to one database. */

const folder = mkdtempSync(join(tmpdir(), 'store-'));
const file = join(folder, 'bridge.db');
let one: Store;
let two: Store;

const APP = 'a'.repeat(24);
const ACCOUNT = 'b'.repeat(24);

const grantRow = (id: string): NewGrant => ({
  id,
  client_id: APP,
  account_id: ACCOUNT,
  modern_client_id: 'bridge',
  state: 'ready',
  version: 1,
  access_token_sealed: 'x',
  refresh_token_sealed: 'y',
  scope: 'account:read',
  access_expires_at: 10_000,
  refresh_at: 8_000,
  created_at: 0,
  updated_at: 0,
  rotated_at: 0,
});

const newPair = {
  accessTokenSealed: 'x2',
  refreshTokenSealed: 'y2',
  scope: 's',
  accessExpiresAt: 20_000,
  refreshAt: 18_000,
  now: 5,
};

beforeAll(async () => {
  one = openSqliteStore(file);
  two = openSqliteStore(file);
  await upsertAccount(one.durable, { account_id: ACCOUNT, updated_at: 0 });
  const app = {
    client_id: APP,
    name: 'A',
    owner_account_id: null,
    owner_email: null,
    source: 'registered',
    created_at: 0,
    retired_at: null,
  } as const;
  await insertApp(one.durable, app, { callbacks: ['https://a.example/'], secretId: 's1', secretDigest: 'd' });
});

beforeEach(async () => {
  await one.durable.deleteFrom('legacy_codes').execute();
  await one.durable.deleteFrom('grants').execute();
  await grants.insertGrant(one.durable, grantRow('g1'));
});

afterAll(async () => {
  await one.close();
  await two.close();
  rmSync(folder, { recursive: true });
});

const version = { id: 'g1', version: 1 };

const pragma = async (db: Store['durable'] | Store['volatile'], name: string) =>
  Object.values((await sql.raw(`pragma ${name}`).execute(db)).rows[0] as object)[0];

test('the durable file is WAL with synchronous FULL, the volatile one with NORMAL', async () => {
  expect(await pragma(one.durable, 'journal_mode')).toBe('wal');
  expect(await pragma(one.durable, 'synchronous')).toBe(2);
  expect(await pragma(one.volatile, 'synchronous')).toBe(1);
  expect(await pragma(one.durable, 'foreign_keys')).toBe(1);
});

test('of many claims of one version, from two connections, exactly one wins', async () => {
  const claims = Array.from({ length: 40 }, (_, n) =>
    presentations.claimPresenting((n % 2 ? one : two).durable, version, {
      from: 'ready',
      seenPresentedAt: null,
      now: n,
    }),
  );
  expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
});

test('a claim that was decided before another presentation is refused, however its state looks by now', async () => {
  await presentations.claimPresenting(one.durable, version, {
    from: 'ready',
    seenPresentedAt: null,
    now: 10,
  });
  await presentations.markInDoubt(one.durable, version, { presentedAt: 10, retryAt: 0, now: 12 });
  const decidedOn10 = { from: 'in_doubt', seenPresentedAt: 10, now: 400 } as const;
  expect(await presentations.claimPresenting(one.durable, version, decidedOn10)).toBe(true);
  await presentations.markInDoubt(one.durable, version, { presentedAt: 400, retryAt: 0, now: 401 });
  expect(await presentations.claimPresenting(two.durable, version, { ...decidedOn10, now: 402 })).toBe(false);
});

test('a claim needs the version and the state that it names, and waits for the back-off', async () => {
  expect(
    await presentations.claimPresenting(
      one.durable,
      { id: 'g1', version: 2 },
      { from: 'ready', seenPresentedAt: null, now: 1 },
    ),
  ).toBe(false);
  expect(
    await presentations.claimPresenting(one.durable, version, {
      from: 'in_doubt',
      seenPresentedAt: null,
      now: 1,
    }),
  ).toBe(false);
  await presentations.postponeRefresh(one.durable, version, 100);
  expect(
    await presentations.claimPresenting(one.durable, version, {
      from: 'ready',
      seenPresentedAt: null,
      now: 99,
    }),
  ).toBe(false);
  expect(
    await presentations.claimPresenting(one.durable, version, {
      from: 'ready',
      seenPresentedAt: null,
      now: 100,
    }),
  ).toBe(true);
});

test('a release by one holder does not take away the claim of a later one', async () => {
  await presentations.claimPresenting(one.durable, version, {
    from: 'ready',
    seenPresentedAt: null,
    now: 10,
  });
  await presentations.releaseClaim(two.durable, version, {
    to: 'ready',
    presentedAt: 9,
    retryAt: 0,
    now: 11,
  });
  expect((await grants.findGrant(one.durable, 'g1'))?.state).toBe('presenting');
});

test('a late answer is kept by compare on its version, also when the grant is in doubt by then', async () => {
  await presentations.claimPresenting(one.durable, version, {
    from: 'ready',
    seenPresentedAt: null,
    now: 10,
  });
  await presentations.markInDoubt(two.durable, version, { presentedAt: 10, retryAt: 0, now: 12 });
  expect(await presentations.storeRotation(one.durable, version, newPair)).toBe(true);
  expect(await presentations.storeRotation(two.durable, version, newPair)).toBe(false);
  expect(await grants.findGrant(one.durable, 'g1')).toMatchObject({
    state: 'ready',
    version: 2,
    doubt_since: null,
    attempts: 0,
  });
});

test('a refusal of an older version does not end the newer pair', async () => {
  await presentations.claimPresenting(one.durable, version, {
    from: 'ready',
    seenPresentedAt: null,
    now: 10,
  });
  await presentations.storeRotation(one.durable, version, newPair);
  const death = { cause: 'refused', now: 13, eraseTokens: false } as const;
  expect(await grants.markDead(two.durable, version, death)).toBe(false);
  expect(await grants.markDead(two.durable, { id: 'g1', version: 2 }, death)).toBe(true);
});

test('an app and account have one live grant', async () => {
  await expect(grants.insertGrant(one.durable, grantRow('g2'))).rejects.toMatchObject({
    code: 'SQLITE_CONSTRAINT_UNIQUE',
  });
});

const code = {
  code_digest: 'c',
  client_id: APP,
  redirect_uri: 'https://a.example/',
  redirect_uri_given: 1,
  account_id: ACCOUNT,
  grant_id: 'g1',
  created_at: 1_000,
  expires_at: 31_000,
};

test.each([
  ['at 29.999 s', 30_999, true],
  ['at 30.000 s', 31_000, false],
  ['by a clock that was set back behind its making', 999, false],
])('a code %s: claimed is %p', async (_name, now, won) => {
  await insertCode(one.durable, code);
  const claimed = one.transaction(async (tx) => {
    const row = await claimCode(tx, { codeDigest: 'c', clientId: APP, mappingId: 'm', now });
    await tx.updateTable('legacy_codes').set({ mapping_id: null }).execute();
    return row !== undefined;
  });
  expect(await claimed).toBe(won);
});

function schemaOf(path: string): { schema: unknown; tables: unknown[] } {
  const handle = new Sqlite(path, { readonly: true });
  const tables = handle.prepare("select name from sqlite_master where type = 'table'").pluck().all();
  const schema = handle.pragma('user_version', { simple: true });
  handle.close();
  return { schema, tables };
}

test('a database with a newer schema is refused, and stays as it is', () => {
  const newer = join(folder, 'newer.db');
  const handle = new Sqlite(newer);
  handle.pragma('user_version = 999');
  handle.close();
  expect(() => openSqliteStore(newer)).toThrow('the database has schema 999');
  expect(schemaOf(newer)).toEqual({ schema: 999, tables: [] });
});

test('a migration that fails in the middle leaves the older schema whole', () => {
  const broken = join(folder, 'broken.db');
  const handle = new Sqlite(broken);
  handle.exec('create table events (of_another_program text)');
  handle.close();
  expect(() => openSqliteStore(broken)).toThrow('table events already exists');
  expect(schemaOf(broken)).toEqual({ schema: 0, tables: ['events'] });
});
