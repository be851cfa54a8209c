import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { chooseDatabase, startTestBridge } from '../support/started-bridge.ts';

/** Keys are proven before anything is served (design 5, secrets at rest). */

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

const list = () => [{ id: 'k1', secret: Buffer.alloc(32, 7).toString('base64url') }];

const other = () => {
  return JSON.stringify({ digest: list(), sealing: list(), session: list(), history: list() });
};

test.each<[string, () => void, string]>([
  ['missing', () => rmSync(keysFile), 'is missing, and stored tokens can only be read with it'],
  [
    'of another database',
    () => writeFileSync(keysFile, other()),
    'these keys do not belong to this database',
  ],
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
    copyFileSync(kept, keysFile);
    await (await start()).close();
  },
);
