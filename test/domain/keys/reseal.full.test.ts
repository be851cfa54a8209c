import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { OpenContext } from '../../../src/app/open-context.ts';
import { dropKey } from '../../../src/domain/keys/drop-key.ts';
import { recoverSpilledPair } from '../../../src/domain/grants/refresh/store-rotated-pair.ts';
import { resealAll } from '../../../src/domain/keys/reseal.ts';
import { openAccessToken, openRefreshToken, sealPair } from '../../../src/domain/grants/sealed-pair.ts';
import { keyIdOf } from '../../../src/shared/secrets.ts';
import { addKeyToFile, loadKeys, removeKeyFromFile } from '../../../src/store/files/keys-file.ts';
import type { SpilledPair } from '../../../src/store/files/spill.ts';
import { listKeys } from '../../../src/store/keys/keys.ts';
import { connectApp, type Connected } from '../../endpoints/support/connected.ts';
import { read } from '../../support/callers/legacy-calls.ts';
import {
  activateBySql,
  copyKeys,
  dropBySql,
  type KeyDoor,
  openBeside,
  openKeyDoor,
  settingsBeside,
  untilHeld,
} from '../../support/bridge/key-door.ts';

/** Pairs that are on their way while their key changes: none is lost, and none goes to nobody's key. */

let door: KeyDoor;
let connected: Connected[];

beforeEach(async () => {
  door = await openKeyDoor();
  connected = [await connectApp(door)];
  addKeyToFile(door.keysFile, 'k2');
  await door.bridge.context.keyring.turn();
  await untilHeld(door, 'k2');
});
afterEach(() => door.stop());

const profiles = ({ token }: Connected) => read(door, '/1/profiles.json', token);

async function expireAll(): Promise<void> {
  const { durable } = door.bridge.context.store;
  await durable
    .updateTable('grants')
    .set({ access_expires_at: 0, refresh_at: 0, retry_at: 0 })
    .where('state', '=', 'ready')
    .execute();
}

async function expectAllServed(): Promise<void> {
  await expireAll();
  for (const each of connected) expect((await profiles(each)).status).toBe(200);
  door.proxy.assertNoRefreshTokenTwice();
}

const ROUNDS = 12;

test('reseals at the same moment as refreshes of the same grants lose no pair', async () => {
  for (const name of ['Two', 'Three', 'Four'])
    connected.push(await connectApp(door, await door.addApp({ name })));
  const { context } = door.bridge;
  let resealed = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const keyId = round % 2 === 0 ? 'k1' : 'k2';
    await activateBySql(context.store, keyId);
    await context.keyring.turn();
    await expireAll();
    const calls = connected.map((each) => profiles(each));
    const results = await Promise.all(
      Array.from({ length: 4 }, () => resealAll(context, { keyId, onProgress: () => undefined })),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(connected.map(() => 200));
    expect(results.flatMap(({ unreadable }) => unreadable)).toEqual([]);
    resealed += results.reduce((sum, result) => sum + result.resealed, 0);
  }
  expect(resealed).toBeGreaterThan(0);
  await expectAllServed();
});

/** The next pair of a grant as a process holds it: that of now, which the modern side still takes. */
async function nextPair({ grant }: Connected, ahead = 0): Promise<SpilledPair> {
  const { context } = door.bridge;
  const row = await grant();
  const pair = {
    accessToken: openAccessToken(context, row),
    refreshToken: openRefreshToken(context, row),
    lifetime: 3_600_000,
    scope: row.scope,
  };
  const next = { id: row.id, version: row.version + 1 + ahead, sentAt: context.clock.now() };
  return { grantId: row.id, version: row.version + ahead, pair: sealPair(context, next, pair) };
}

const spilled = () => readdirSync(join(door.varDir, 'spill')).filter((name) => name.endsWith('.pair'));

test('a pair in the spill keeps its key from being dropped', async () => {
  const { context } = door.bridge;
  // Of a grant that the database does not know: it stays where it is.
  const entry = { ...(await nextPair(connected[0] as Connected)), grantId: 'f'.repeat(24) };
  await context.spill.write(entry);
  expect(keyIdOf(entry.pair.refreshTokenSealed)).toBe('k1');
  await activateBySql(context.store, 'k2');
  await context.keyring.turn();
  await resealAll(context, { keyId: 'k2', onProgress: () => undefined });
  const choice = { id: 'k1', purposes: ['sealing'] as const };
  expect((await dropKey(context, door.keysFile, choice)).outcomes).toEqual([
    {
      purpose: 'sealing',
      id: 'k1',
      kept: `a pair sealed with the key waits in the spill of ${hostname()}`,
    },
  ]);
  expect(loadKeys(door.keysFile).sealing.map(({ id }) => id)).toEqual(['k1', 'k2']);
  // Another machine, which knew nothing of this spill, has dropped it.
  await dropBySql(context.store, 'sealing', 'k1');
  expect((await dropKey(context, door.keysFile, choice)).outcomes[0]?.kept).toContain('waits in the spill');
  expect(loadKeys(door.keysFile).sealing.map(({ id }) => id)).toEqual(['k1', 'k2']);
  await context.spill.remove(entry);
  // Its pair may be sealed with any key.
  const damaged = join(door.varDir, 'spill', `${'e'.repeat(24)}.1.pair`);
  writeFileSync(damaged, 'damaged');
  expect((await dropKey(context, door.keysFile, choice)).outcomes[0]?.kept).toContain('cannot be read');
  rmSync(damaged);
  expect((await dropKey(context, door.keysFile, choice)).outcomes).toEqual([
    { purpose: 'sealing', id: 'k1' },
  ]);
  expect(loadKeys(door.keysFile).sealing.map(({ id }) => id)).toEqual(['k2']);
  await expectAllServed();
});

describe('a pair in the spill whose key was dropped all the same', () => {
  let other: OpenContext | undefined;
  let entry: SpilledPair;

  beforeEach(async () => {
    other = undefined;
    const { context } = door.bridge;
    entry = await nextPair(connected[0] as Connected);
    await activateBySql(context.store, 'k2');
    await context.keyring.turn();
    await resealAll(context, { keyId: 'k2', onProgress: () => undefined });
    await dropBySql(context.store, 'sealing', 'k1');
    await context.keyring.turn();
    expect(keyIdOf(entry.pair.refreshTokenSealed)).toBe('k1');
  });
  afterEach(() => other?.close());

  test('is taken back by a process whose file holds it, under the active key', async () => {
    const { context } = door.bridge;
    await context.spill.write(entry);
    await recoverSpilledPair(context, { id: entry.grantId, version: entry.version });
    expect(spilled()).toEqual([]);
    const row = await connected[0]?.grant();
    expect(row?.version).toBe(entry.version + 1);
    expect(
      [row?.access_token_sealed, row?.refresh_token_sealed].map((sealed) => keyIdOf(sealed ?? '')),
    ).toEqual(['k2', 'k2']);
    expect(
      (await listKeys(context.store.durable)).find(({ purpose, id }) => purpose === 'sealing' && id === 'k1'),
    ).toMatchObject({ state: 'dropped' });
    await expectAllServed();
  });

  test('is left where it is by one whose file lacks it', async () => {
    const { KEYS_FILE } = settingsBeside(door, 'beside');
    copyKeys(door.keysFile, KEYS_FILE);
    removeKeyFromFile(KEYS_FILE, 'sealing', 'k1');
    other = await openBeside(door, 'beside');
    await other.context.spill.write(entry);
    const before = await connected[0]?.grant();
    await expect(
      recoverSpilledPair(other.context, { id: entry.grantId, version: entry.version }),
    ).rejects.toThrow('is sealed with key k1, which is not in KEYS_FILE');
    expect(await connected[0]?.grant()).toEqual(before);
    expect((await other.context.spill.list()).entries).toMatchObject([entry]);
  });
});
