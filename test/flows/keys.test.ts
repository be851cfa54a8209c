import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/servers/free-port.ts';
import { chooseDatabase, startTestBridge } from '../support/bridge/started-bridge.ts';

/** Keys are proven before anything is served (docs/decisions/0007). */

const folder = mkdtempSync(join(tmpdir(), 'keys-'));
const keysFile = join(folder, 'keys.json');
const kept = join(folder, 'kept.json');

let database: Awaited<ReturnType<typeof chooseDatabase>>;

afterAll(async () => {
  await database.remove();
  rmSync(folder, { recursive: true });
});

const start = async () =>
  startTestBridge({
    settings: {
      PORT: String(await freePort()),
      PUBLIC_URL: 'http://127.0.0.1',
      VAR_DIR: folder,
      MODERN_AUTH_URL: 'http://127.0.0.1:9',
      MODERN_API_URL: 'http://127.0.0.1:9',
      MODERN_CLIENT_ID: 'bridge',
      ...database.settings,
    },
  });

beforeAll(async () => {
  database = await chooseDatabase();
  await (await start()).close();
  copyFileSync(keysFile, kept);
});

const list = (fill: number) => [{ id: 'k1', secret: Buffer.alloc(32, fill).toString('base64url') }];

const other = () => JSON.stringify({ digest: list(1), sealing: list(2), session: list(3), history: list(4) });

type Content = Record<string, Array<{ id: string; secret: string }>>;

/** The right file with one change. */
function changed(change: (content: Content) => void): void {
  const content = JSON.parse(readFileSync(kept, 'utf8')) as Content;
  change(content);
  writeFileSync(keysFile, JSON.stringify(content));
}

test.each<[string, () => void, string]>([
  [
    'missing',
    () => rmSync(keysFile),
    'is missing. Only this file opens the stored tokens: put its copy back',
  ],
  [
    'of another database',
    () => writeFileSync(keysFile, other()),
    'the digest key k1 is not the one that this database was used with',
  ],
  [
    'without one of the keys',
    () => changed((content) => Object.assign(content['sealing']?.[0] ?? {}, { id: 'k2' })),
    'the sealing key k1 is missing, and this database uses it',
  ],
  ['without a purpose', () => changed((content) => delete content['history']), 'history'],
  [
    'one key for two purposes',
    () => changed((content) => Object.assign(content, { session: content['digest'] })),
    'session k1 is the same key as digest k1',
  ],
  [
    'two keys of one name',
    () => changed((content) => content['digest']?.push(...list(9))),
    'digest has two keys k1',
  ],
  ['readable by others', () => chmodSync(keysFile, 0o644), 'can be read by others (mode 644)'],
  ['readable by its group', () => chmodSync(keysFile, 0o640), 'can be read by others (mode 640)'],
  ['half written', () => writeFileSync(keysFile, '{"digest":[{"id"'), 'is not readable as JSON'],
  ['empty', () => writeFileSync(keysFile, ''), 'is not readable as JSON'],
  [
    'too short',
    () => writeFileSync(keysFile, other().replaceAll(/"secret":"[^"]+"/g, '"secret":"abc"')),
    'must be 32 bytes',
  ],
])(
  'a key file that is %s refuses to start in plain words, and the right one still works',
  async (_name, spoil, text) => {
    spoil();
    await expect(start()).rejects.toThrow(text);
    rmSync(keysFile, { force: true });
    copyFileSync(kept, keysFile);
    await (await start()).close();
  },
);
