import { createHash, createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { importRows } from '../../../src/domain/import/import-rows.ts';
import { activateKey } from '../../../src/domain/keys/activate-key.ts';
import { addKeys } from '../../../src/domain/keys/add-keys.ts';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { keyIdOf, PURPOSES } from '../../../src/shared/secrets.ts';
import { addKeyToFile, loadKeys } from '../../../src/store/files/keys-file.ts';
import { listKeys } from '../../../src/store/keys/keys.ts';
import { insertMapping } from '../../../src/store/tokens/mappings.ts';
import { connectApp, type Connected } from '../../endpoints/support/connected.ts';
import { until } from '../../support/servers/held-answer.ts';
import { exchangeFields, read } from '../../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import {
  activateBySql,
  copyKeys,
  type KeyDoor,
  openKeyDoor,
  serveBeside,
  settingsBeside,
} from '../../support/bridge/key-door.ts';

/** Digests while their key changes, and a machine that lacks one (docs/decisions/0007, docs/threats.md F113). */

let door: KeyDoor;
let connected: Connected;

beforeEach(async () => {
  door = await openKeyDoor();
  connected = await connectApp(door);
});
afterEach(() => door.stop());

const durable = () => door.bridge.context.store.durable;

const entries = async () => (await durable().selectFrom('events').select('id').execute()).length;

/** The key ids that the digests of this app's tokens stand on. */
async function tokenKeys(): Promise<string[]> {
  const rows = durable().selectFrom('mappings').select('token_digest').where('source', '<>', 'registration');
  return (await rows.execute()).map((row) => keyIdOf(row.token_digest)).toSorted();
}

async function secretKey(): Promise<string> {
  const row = durable().selectFrom('app_secrets').select('secret_digest');
  const { secret_digest: digest } = await row
    .where('client_id', '=', connected.app.clientId)
    .executeTakeFirstOrThrow();
  return keyIdOf(digest);
}

async function activateNew(): Promise<string> {
  const { context } = door.bridge;
  const { id } = await addKeys(context, door.keysFile);
  await activateKey(context, { id, purposes: PURPOSES });
  // In other processes the change arrives with their next look.
  const isSeen = async () => {
    const rows = await durable().selectFrom('key_holders').select('held').execute();
    return rows.every(({ held }) => held.includes(`"digest":{"ids":["k1","${id}"],"active":"${id}"}`));
  };
  await until(isSeen);
  return id;
}

const profiles = (url: string, token: string) =>
  sendRaw(url, { path: '/1/profiles.json', headers: { authorization: `Bearer ${token}` } });

function exchangeAt(url: string, code: string, changes: Record<string, string> = {}) {
  const body = new URLSearchParams({ ...exchangeFields(connected.app, code), ...changes }).toString();
  return sendRaw(url, { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) });
}

test('a turn that was asked for after the key file changed knows the new key, also when one ran already', async () => {
  const { keyring, store } = door.bridge.context;
  const earlier = keyring.turn();
  addKeyToFile(door.keysFile, 'k2');
  await keyring.turn();
  expect((await listKeys(store.durable)).filter(({ id }) => id === 'k2')).toHaveLength(PURPOSES.length);
  await earlier;
});

test('a digest moves to the active key at its first use, and a failed attempt moves none', async () => {
  const id = await activateNew();
  const code = `1/${'x'.repeat(32)}`;
  expect((await read(door, '/1/profiles.json', newLegacyToken())).status).toBe(401);
  const wrong = await exchangeAt(door.bridgeUrl, code, { client_secret: 'wrong' });
  expect(wrong.json).toMatchObject({ error: 'invalid_client' });
  expect([await tokenKeys(), await secretKey()]).toEqual([['k1'], 'k1']);
  // Of a right secret with a wrong code only the secret was seen.
  expect((await exchangeAt(door.bridgeUrl, code)).status).toBe(400);
  expect([await tokenKeys(), await secretKey()]).toEqual([['k1'], id]);
  expect((await read(door, '/1/profiles.json', connected.token)).status).toBe(200);
  expect(await tokenKeys()).toEqual([id]);
  // What has moved is found where it is now.
  expect((await read(door, '/1/profiles.json', connected.token)).status).toBe(200);
  expect((await exchangeAt(door.bridgeUrl, await connected.mint())).status).toBe(200);
});

test('an import that names a token or an app secret again moves its digest, and changes nothing else', async () => {
  const clientId = newHexId();
  const token = newLegacyToken();
  const rows = [
    {
      type: 'app',
      client_id: clientId,
      client_secret: 's'.repeat(32),
      name: 'Old',
      owner_email: 'o@a.example',
    },
    { type: 'token', access_token: token, client_id: clientId, account_email: 'h@a.example' },
  ];
  const { context } = door.bridge;
  const again = async (isDryRun = false) => {
    const asked = { rows, isDryRun, maxRefused: undefined, origin: { actor: 'test', requestId: null } };
    return importRows(context, asked);
  };
  const keyIds = async () => {
    const secrets = durable().selectFrom('app_secrets').select('secret_digest as digest');
    const tokens = durable().selectFrom('mappings').select('token_digest as digest');
    const found = [
      await secrets.where('client_id', '=', clientId).execute(),
      await tokens.where('client_id', '=', clientId).where('source', '=', 'imported').execute(),
    ];
    return found.flat().map(({ digest }) => keyIdOf(digest));
  };
  expect(await again()).toMatchObject({ new: 2 });
  const id = await activateNew();
  const before = await entries();
  expect(await again(true)).toMatchObject({ known: 2 });
  expect(await keyIds()).toEqual(['k1', 'k1']);
  expect(await again()).toMatchObject({ new: 0, known: 2, changed: 0, refused: 0 });
  expect([await keyIds(), await entries()]).toEqual([[id, id], before]);
  expect(await again()).toMatchObject({ known: 2 });
});

test('a token that comes in under an older digest key works, and moves', async () => {
  const [first] = loadKeys(door.keysFile).digest;
  const id = await activateNew();
  const token = newLegacyToken();
  const grant = await connected.grant();
  const known = createHash('sha256').update(token).digest();
  const digest = createHmac('sha256', first?.secret ?? '')
    .update(known)
    .digest('base64url');
  await insertMapping(durable(), {
    id: newHexId(),
    token_digest: `k1.${digest}`,
    hint_first: null,
    hint_last: null,
    client_id: grant.client_id,
    account_id: grant.account_id,
    grant_id: grant.id,
    state: 'active',
    source: 'imported',
    created_at: 0,
    updated_at: 0,
  });
  expect((await read(door, '/1/profiles.json', token)).status).toBe(200);
  expect(await tokenKeys()).toEqual(['k1', id].toSorted());
});

describe('a machine whose key file lacks the active key', () => {
  let lacking: Awaited<ReturnType<typeof serveBeside>>;
  let file: string;

  beforeEach(async () => {
    file = settingsBeside(door, 'beside').KEYS_FILE;
    copyKeys(door.keysFile, file);
    lacking = await serveBeside(door, 'beside');
    addKeyToFile(door.keysFile, 'k2');
    await door.bridge.context.keyring.turn();
    await activateBySql(door.bridge.context.store, 'k2');
    await until(async () => (await profiles(door.bridgeUrl, connected.token)).status === 200);
    await until(async () => {
      await profiles(door.bridgeUrl, connected.token);
      return (await tokenKeys()).join() === 'k2';
    });
    expect((await exchangeAt(door.bridgeUrl, `1/${'x'.repeat(32)}`)).status).toBe(400);
    expect(await secretKey()).toBe('k2');
  });
  afterEach(async () => {
    await lacking.close();
    rmSync(file);
  });

  test('says 503 and never 401 to what it cannot look up, with one alarm, until it has the key', async () => {
    const { url } = lacking;
    for (const token of [connected.token, newLegacyToken()]) {
      const answer = await profiles(url, token);
      expect(answer).toMatchObject({ status: 503, json: { code: 1000 } });
    }
    const answer = await exchangeAt(url, await connected.mint());
    expect(answer).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    const page = await sendRaw(url, {
      path: '/callback?state=of-another-machine&code=x',
      headers: { cookie: `gb_browser_${'0'.repeat(24)}=${'x'.repeat(43)}` },
    });
    expect({ status: page.status, text: page.text }).toEqual({
      status: 503,
      text: expect.stringContaining('Not available at the moment') as string,
    });
    const alarmed = () =>
      lacking.lines().filter((line) => line.includes('"message":"ALARM: KEYS_FILE lacks'));
    await until(() => alarmed().length > 0);
    const alarms = alarmed();
    expect(alarms).toHaveLength(1);
    expect(alarms[0]).toContain('KEYS_FILE lacks the digest key k2, which is in use');

    copyKeys(door.keysFile, file);
    await until(async () => (await profiles(url, connected.token)).status === 200);
    expect((await exchangeAt(url, await connected.mint())).status).toBe(200);
  });

  test('serves on what stands on the keys that it has, and takes nothing back to them', async () => {
    const [first] = loadKeys(file).digest;
    const digest = createHmac('sha256', first?.secret ?? '')
      .update(createHash('sha256').update(connected.token).digest())
      .digest('base64url');
    await durable()
      .updateTable('mappings')
      .set({ token_digest: `k1.${digest}` })
      .where('source', '<>', 'registration')
      .execute();
    expect((await profiles(lacking.url, connected.token)).status).toBe(200);
    expect([await tokenKeys(), await secretKey()]).toEqual([['k1'], 'k2']);
  });
});
