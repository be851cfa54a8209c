import type { OpenContext } from '../../../src/app/open-context.ts';
import { authenticateClient } from '../../../src/domain/apps/authenticate-client.ts';
import { recoverSpilledPairs } from '../../../src/domain/grants/refresh/store-rotated-pair.ts';
import { resealAll } from '../../../src/domain/keys/reseal.ts';
import { resolveToken } from '../../../src/domain/tokens/resolve-token.ts';
import { keyIdOf } from '../../../src/shared/secrets.ts';
import { addKeyToFile } from '../../../src/store/files/keys-file.ts';
import { until } from '../../support/servers/held-answer.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import {
  activateBySql,
  copyKeys,
  dropBySql,
  type KeyDoor,
  openBeside,
  openKeyDoor,
  settingsBeside,
} from '../../support/bridge/key-door.ts';

/**
 * A process that works with keys as they were: it was paused while they changed. The bridge of these tests
 * looks once a second; what comes in the milliseconds after a change meets it as it was.
 */

let door: KeyDoor;
let other: OpenContext;
let token: string;

beforeEach(async () => {
  door = await openKeyDoor();
  token = await issueToken(door);
});
afterEach(async () => {
  await other.close();
  await door.stop();
});

const durable = () => door.bridge.context.store.durable;

const grants = () => durable().selectFrom('grants').selectAll().execute();

async function digestKeyOfToken(): Promise<string> {
  const row = durable().selectFrom('mappings').select('token_digest').where('source', '=', 'issued');
  return keyIdOf((await row.executeTakeFirstOrThrow()).token_digest);
}

async function digestKeyOfSecret(): Promise<string> {
  const row = durable()
    .selectFrom('app_secrets')
    .select('secret_digest')
    .where('client_id', '=', door.app.clientId);
  return keyIdOf((await row.executeTakeFirstOrThrow()).secret_digest);
}

/** Another process that holds one key more, which became active; all that it meets it moves there. */
async function moveAllBeside(id: string): Promise<void> {
  await activateBySql(other.context.store, id);
  await other.context.keyring.turn();
  await resolveToken(other.context, token);
  await authenticateClient(other.context, [door.app]);
  expect([await digestKeyOfToken(), await digestKeyOfSecret()]).toEqual([id, id]);
}

describe('a key that came while it did not look', () => {
  /** The older key goes with it, so that the number of keys stays the same. */
  test.each([
    ['is added', false],
    ['takes the place of another', true],
  ])('and %s: of many calls at the same moment none is refused', async (_how, dropsOld) => {
    copyKeys(door.keysFile, settingsBeside(door, 'beside').KEYS_FILE, ['k2']);
    other = await openBeside(door, 'beside');
    await moveAllBeside('k2');
    if (dropsOld) await dropBySql(other.context.store, 'digest', 'k1');
    copyKeys(settingsBeside(door, 'beside').KEYS_FILE, door.keysFile);
    const { context } = door.bridge;
    const calls: Array<Promise<unknown>> = [];
    // Some of them are between their first look and their second when another has seen the new key.
    for (let number = 0; number < 12; number += 1) {
      calls.push(number % 2 === 0 ? resolveToken(context, token) : authenticateClient(context, [door.app]));
      if (number % 4 === 3) await new Promise(setImmediate);
    }
    const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
    expect(refused).toEqual([]);
  });
});

describe('a key that went while it did not look', () => {
  beforeEach(async () => {
    addKeyToFile(door.keysFile, 'k2');
    copyKeys(door.keysFile, settingsBeside(door, 'beside').KEYS_FILE);
    other = await openBeside(door, 'beside');
    await door.bridge.context.keyring.turn();
  });

  test('takes no digest back to it', async () => {
    await moveAllBeside('k2');
    await dropBySql(other.context.store, 'digest', 'k1');
    const { context } = door.bridge;
    await Promise.all([resolveToken(context, token), authenticateClient(context, [door.app])]);
    expect([await digestKeyOfToken(), await digestKeyOfSecret()]).toEqual(['k2', 'k2']);
    await context.keyring.turn();
    await resolveToken(context, token);
    await authenticateClient(context, [door.app]);
  });

  test('never makes a deauthorization fail for good, nor with 500', async () => {
    await moveAllBeside('k2');
    await resealAll(other.context, { keyId: 'k2', onProgress: () => undefined });
    const deauthorize = () =>
      sendRaw(door.bridgeUrl, { method: 'POST', path: `/user/deauthorize?access_token=${token}` });
    await dropBySql(other.context.store, 'sealing', 'k1');
    const { status } = await deauthorize();
    expect([200, 503]).toContain(status);
    if (status === 503) await until(async () => (await deauthorize()).status === 200);
    expect((await read(door, '/1/profiles.json', token)).status).toBe(401);
  });

  test('is not what a reseal writes with: it says so, and leaves what was there', async () => {
    const { context } = door.bridge;
    const before = await grants();
    await activateBySql(other.context.store, 'k2');
    await other.context.keyring.turn();
    // Back to the first key, which is never told to the other one.
    await activateBySql(context.store, 'k1');
    await dropBySql(context.store, 'sealing', 'k2');
    const running = resealAll(other.context, { keyId: 'k2', onProgress: () => undefined });
    await expect(running).rejects.toThrow('the sealing key k2 was dropped');
    expect(await grants()).toEqual(before);
  });
});

test('a pair that comes while the key that is active now is missing here waits in the spill, and is asked for once', async () => {
  copyKeys(door.keysFile, settingsBeside(door, 'beside').KEYS_FILE, ['k2']);
  other = await openBeside(door, 'beside');
  const { context } = door.bridge;
  const setState = (id: string, state: 'active' | 'dropped') =>
    durable()
      .updateTable('keys')
      .set({ state })
      .where('purpose', '=', 'sealing')
      .where('id', '=', id)
      .execute();
  await durable().updateTable('grants').set({ access_expires_at: 0, refresh_at: 0 }).execute();
  door.proxy.onTokenAnswer = async (_call, answer) => {
    await setState('k1', 'dropped');
    await setState('k2', 'active');
    return answer;
  };
  const profiles = () => read(door, '/1/user.json', token);
  expect((await profiles()).status).toBe(503);
  expect(await context.spill.count()).toBe(1);
  copyKeys(settingsBeside(door, 'beside').KEYS_FILE, door.keysFile);
  await context.keyring.turn();
  await recoverSpilledPairs(context);
  expect((await profiles()).status).toBe(200);
  expect(await context.spill.count()).toBe(0);
  door.proxy.assertNoRefreshTokenTwice();
});
