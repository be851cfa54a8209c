import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stampOf } from '../../src/shared/file-stamp.ts';
import { PURPOSES } from '../../src/shared/secrets.ts';
import { addKeyToFile, loadKeys, makeKeysFile, removeKeyFromFile } from '../../src/store/files/keys-file.ts';

/** Changes of the key file by the operator's commands. */

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keys-file-'));
  file = join(folder, 'keys.json');
  loadKeys(file, true);
});
afterEach(() => rmSync(folder, { recursive: true }));

type Content = Record<string, Array<{ id: string; secret: string }>>;

const contentOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Content;

test('a changed file is private, is seen as another, and leaves no draft', () => {
  const stamp = stampOf(file);
  addKeyToFile(file, 'k2');
  expect(stampOf(file)).not.toBe(stamp);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const purpose of PURPOSES) expect(contentOf(file)[purpose]?.map(({ id }) => id)).toEqual(['k1', 'k2']);
  expect(removeKeyFromFile(file, 'digest', 'k1')).toBe(true);
  expect(removeKeyFromFile(file, 'digest', 'k1')).toBe(false);
  expect(contentOf(file)['digest']?.map(({ id }) => id)).toEqual(['k2']);
  expect(contentOf(file)['sealing']?.map(({ id }) => id)).toEqual(['k1', 'k2']);
  expect(readdirSync(folder)).toEqual(['keys.json']);
});

test('of a link it is the file behind it that is changed', () => {
  const link = join(folder, 'elsewhere', 'link.json');
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync(file, link);
  addKeyToFile(link, 'k2');
  removeKeyFromFile(link, 'session', 'k1');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(contentOf(file)['session']?.map(({ id }) => id)).toEqual(['k2']);
});

test('where nobody can tell whether there is a file, nobody is told that the keys are gone, and none are made', () => {
  const loop = join(folder, 'loop.json');
  symlinkSync(loop, loop);
  for (const mayCreate of [false, true])
    expect(() => loadKeys(loop, mayCreate)).toThrow(`KEYS_FILE: ${loop} cannot be reached (ELOOP)`);
  expect(readdirSync(folder).toSorted()).toEqual(['keys.json', 'loop.json']);
});

test('one key in two spellings is one key, which may not serve two purposes', () => {
  const content = contentOf(file);
  const [digest] = content['digest'] ?? [];
  const spelling = Buffer.from(digest?.secret ?? '', 'base64url').toString('base64');
  expect(spelling).not.toBe(digest?.secret);
  writeFileSync(file, JSON.stringify({ ...content, session: [{ id: 'k1', secret: spelling }] }));
  expect(() => loadKeys(file)).toThrow('session k1 is the same key as digest k1');
});

const KEY = { id: 'k1', secret: Buffer.alloc(32, 7).toString('base64url') };
const LIST = 'must be a list with at least one key';

test.each<[string, unknown]>([
  [`history ${LIST}`, { history: undefined }],
  [`digest ${LIST}; session ${LIST}`, { digest: [], session: { k1: KEY } }],
  ['digest.0 must be a key with id and secret', { digest: ['k1'] }],
  ['digest.0.id must be 1 to 16 small letters and digits', { digest: [{ ...KEY, id: 7 }] }],
  ['digest.0.id must be 1 to 16 small letters and digits', { digest: [{ ...KEY, id: 'K 1' }] }],
  ['sealing.0.secret must be 32 bytes in base64url', { sealing: [{ id: 'k1' }] }],
  ['sealing.0.secret must be 32 bytes in base64url', { sealing: [{ ...KEY, secret: 'short' }] }],
  ['the lists digest, sealing, session and history must be in one object', [KEY]],
])('a file in another form is refused in words: %s', (words, spoilt) => {
  const content = Array.isArray(spoilt) ? spoilt : Object.assign(contentOf(file), spoilt);
  writeFileSync(file, JSON.stringify(content));
  expect(() => loadKeys(file)).toThrow(new Error(`KEYS_FILE: ${file} is not usable: ${words}`));
});

test('a file that cannot be seen has no stamp, and what is said of it names it', () => {
  expect(stampOf(join(file, 'below'))).toBeUndefined();
  rmSync(file);
  expect(stampOf(file)).toBeUndefined();
  expect(() => addKeyToFile(file, 'k2')).toThrow(`KEYS_FILE: ${file} cannot be changed: ENOENT`);
});

const refused = (path: string) => `KEYS_FILE: ${path} exists already and was not changed`;

test('a new file is private and whole; what has the name already stays, also a link that leads nowhere', () => {
  const before = readFileSync(file, 'utf8');
  expect(() => makeKeysFile(file)).toThrow(refused(file));
  expect(readFileSync(file, 'utf8')).toBe(before);
  const link = join(folder, 'link.json');
  symlinkSync(join(folder, 'nowhere.json'), link);
  expect(() => makeKeysFile(link)).toThrow(refused(link));
  const made = join(folder, 'new', 'keys.json');
  makeKeysFile(made);
  expect(statSync(made).mode & 0o777).toBe(0o600);
  const secrets = Object.values(loadKeys(made))
    .flat()
    .map(({ secret }) => secret.toString('hex'));
  expect(new Set(secrets).size).toBe(PURPOSES.length);
  expect(readdirSync(join(folder, 'new'))).toEqual(['keys.json']);
  const below = join(file, 'keys.json');
  expect(() => makeKeysFile(below)).toThrow(`KEYS_FILE: ${below} cannot be made: ${file} is not a folder`);
});
