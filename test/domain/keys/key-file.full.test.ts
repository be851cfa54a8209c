import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { PURPOSES } from '../../../src/shared/secrets.ts';
import { listKeys } from '../../../src/store/keys/keys.ts';
import { connectApp, type Connected } from '../../endpoints/support/connected.ts';
import { until } from '../../support/servers/held-answer.ts';
import { read } from '../../support/callers/legacy-calls.ts';
import { copyKeys, type KeyDoor, openKeyDoor } from '../../support/bridge/key-door.ts';
import { testMode } from '../../support/jest/test-mode.ts';

/** A key file that is spoiled under a running bridge: it serves on, says so once, and takes the mended file by itself. */

const MENDED_WITHIN = 2_000;

let door: KeyDoor;
let connected: Connected;
let good: string;
let added = 0;

beforeAll(async () => {
  door = await openKeyDoor();
  connected = await connectApp(door);
  good = `${door.keysFile}.good`;
});
afterAll(() => door.stop());

type Content = Record<string, Array<{ id: string; secret: string }>>;

/** The right file with one change. */
function changed(change: (content: Content) => void): void {
  const content = JSON.parse(readFileSync(good, 'utf8')) as Content;
  change(content);
  writeFileSync(`${door.keysFile}.new`, JSON.stringify(content), { mode: 0o600 });
  renameSync(`${door.keysFile}.new`, door.keysFile);
}

const OTHER = Buffer.alloc(32, 7).toString('base64url');

const alarms = () =>
  door
    .lines()
    .filter((line) => line.includes('"message":"ALARM: the') && line.includes('"process":"bridge"'))
    .map((line) => JSON.parse(line) as { message: string; error?: { message: string } })
    .map(({ message, error }) => `${message}: ${error?.message ?? ''}`);

/** Reads, and refreshes: with the digest keys, and with the sealing keys both ways. */
async function expectServed(): Promise<void> {
  const { version } = await connected.grant();
  const { durable } = door.bridge.context.store;
  await durable.updateTable('grants').set({ access_expires_at: 0, refresh_at: 0 }).execute();
  expect((await read(door, '/1/profiles.json', connected.token)).status).toBe(200);
  expect((await connected.grant()).version).toBe(version + 1);
}

const isKnown = async (id: string) => {
  const keys = await listKeys(door.bridge.context.store.durable);
  return keys.filter((key) => key.id === id && key.state === 'standby').length === PURPOSES.length;
};

test.each<[string, () => void, string]>([
  ['is half written', () => writeFileSync(door.keysFile, '{"digest":[{"id"'), 'is not readable as JSON'],
  ['is empty', () => writeFileSync(door.keysFile, ''), 'is not readable as JSON'],
  ['is gone', () => rmSync(door.keysFile), 'is missing'],
  ['others may read', () => chmodSync(door.keysFile, 0o644), 'can be read by others (mode 644)'],
  [
    'lost a key',
    () => changed((content) => content['sealing']?.splice(0, 1, { id: 'kother', secret: OTHER })),
    'the sealing key k1 is missing, and this database uses it',
  ],
  [
    'has another secret under a known id',
    () => changed((content) => Object.assign(content['digest']?.[0] ?? {}, { secret: OTHER })),
    'the digest key k1 is not the one that this database was used with',
  ],
  [
    'lost a purpose',
    () => changed((content) => delete content['history']),
    'is not usable: history must be a list with at least one key',
  ],
])('a key file that %s', async (_what, spoil, text) => {
  copyKeys(door.keysFile, good);
  const before = alarms().length;
  spoil();
  await until(() => alarms().length > before);
  await expectServed();
  // As many looks as would have said it again.
  for (let look = 0; look < 3; look += 1) await door.bridge.context.keyring.turn();
  await expectServed();
  const said = alarms().slice(before);
  expect(said).toHaveLength(testMode.workers);
  for (const each of said) expect(each).toContain(text);
  expect(door.lines().join('\n')).not.toContain(OTHER);

  added += 1;
  const id = `kmend${added}`;
  copyKeys(good, `${good}.new`, [id]);
  renameSync(`${good}.new`, door.keysFile);
  await until(() => isKnown(id), MENDED_WITHIN);
  await expectServed();
  expect(alarms()).toHaveLength(before + said.length);
});

test('no key of the file was ever logged', () => {
  const secrets = readFileSync(door.keysFile, 'utf8').match(/[\w-]{43}/g) ?? [];
  expect(secrets.length).toBeGreaterThan(PURPOSES.length);
  for (const secret of secrets) expect(door.lines().join('\n')).not.toContain(secret);
});
