import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { createPrivateFile, replacePrivateFile } from '../../shared/private-file.ts';
import { type Key, PURPOSES, type KeyPurpose } from '../../shared/secrets.ts';

/**
 * The key file: one list of keys per purpose, each key `{ id, secret }` with 32 bytes in base64url. The database says
 * which key is active, for all machines. While the database knows no key, the first key of a list is active. The file
 * is made at the first start of a fresh machine and never again: new keys would make every stored token unknown.
 */

/** All keys in a file. */
export type KeysByPurpose = Record<KeyPurpose, readonly Key[]>;

const bytesOf = (secret: string) => Buffer.from(secret, 'base64url');

const ID_FORM = 'must be 1 to 16 small letters and digits';
const SECRET_FORM = 'must be 32 bytes in base64url';
const LIST_FORM = 'must be a list with at least one key';

/** Each form has its own words for people, also for a value of another type and for a missing value. */
const keyList = z
  .array(
    z.object(
      {
        id: z.string(ID_FORM).regex(/^[a-z0-9]{1,16}$/, ID_FORM),
        secret: z.string(SECRET_FORM).refine((text) => bytesOf(text).length === 32, SECRET_FORM),
      },
      'must be a key with id and secret',
    ),
    LIST_FORM,
  )
  .min(1, LIST_FORM);

const keysFile = z.object(
  { digest: keyList, sealing: keyList, session: keyList, history: keyList },
  'the lists digest, sealing, session and history must be in one object',
);

type Content = z.infer<typeof keysFile>;

/** A key of 32 random bytes, in the form of the file. */
function freshKey(id: string): Content['digest'][number] {
  return { id, secret: randomBytes(32).toString('base64url') };
}

function textOf(content: Content): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

function writeNewKeys(path: string): void {
  const lists = PURPOSES.map((purpose) => [purpose, [freshKey('k1')]]);
  createPrivateFile(path, textOf(keysFile.parse(Object.fromEntries(lists))));
}

function createKeysFile(path: string): void {
  try {
    writeNewKeys(path);
  } catch (error) {
    // Another first start on this machine was faster, and its keys are used.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** No other user of the machine may read the file: a reader of the file can read every stored token. */
function requirePrivacy(path: string): void {
  const found = statSync(path);
  if (found.isDirectory()) throw new Error(`KEYS_FILE: ${path} is a folder: name the file in it`);
  const mode = found.mode & 0o777;
  if ((mode & 0o077) !== 0)
    throw new Error(`KEYS_FILE: ${path} can be read by others (mode ${mode.toString(8)}), use chmod 600`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // The error is replaced, because the parser's message quotes the file.
    throw new Error(`KEYS_FILE: ${path} is not readable as JSON`);
  }
}

/** An id names one key of a purpose, and no secret is used twice: purposes never share a key. */
function findRepetitions(content: Content): string[] {
  const keys = PURPOSES.flatMap((purpose) => content[purpose].map((key) => ({ purpose, ...key })));
  return keys.flatMap(({ purpose, id, secret }, index) => {
    const earlier = keys.slice(0, index);
    const sameId = earlier.some((key) => key.purpose === purpose && key.id === id);
    const same = earlier.find((key) => bytesOf(key.secret).equals(bytesOf(secret)));
    return [
      ...(sameId ? [`${purpose} has two keys ${id}`] : []),
      ...(same ? [`${purpose} ${id} is the same key as ${same.purpose} ${same.id}`] : []),
    ];
  });
}

function readContent(path: string): Content {
  requirePrivacy(path);
  const parsed = keysFile.safeParse(readJson(path));
  const problems = parsed.success
    ? findRepetitions(parsed.data)
    : parsed.error.issues.map((issue) => [issue.path.join('.'), issue.message].join(' ').trim());
  if (!parsed.success || problems.length > 0)
    throw new Error(`KEYS_FILE: ${path} is not usable: ${problems.join('; ')}`);
  return parsed.data;
}

function heldOf(content: Content): KeysByPurpose {
  const lists = PURPOSES.map((purpose) => [
    purpose,
    content[purpose].map(({ id, secret }): Key => ({ id, secret: bytesOf(secret) })),
  ]);
  return Object.fromEntries(lists) as KeysByPurpose;
}

/**
 * Whether there is a key file.
 * @throws {Error} in plain words where this user cannot find that out: nobody may then be told that the keys are gone
 */
export function isKeysFileThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new Error(`KEYS_FILE: ${path} cannot be reached (${codeOf(cause)})`, { cause });
  }
}

/**
 * Reads the keys. Makes the file when it is missing and `mayCreate` says that no data depends on older keys.
 * @throws {Error} with the defect of the file in plain words; the file is left unchanged
 */
export function loadKeys(path: string, mayCreate = false): KeysByPurpose {
  if (!isKeysFileThere(path)) {
    if (!mayCreate)
      throw new Error(
        `KEYS_FILE: ${path} is missing. Only this file opens the stored tokens: put its copy back. Without a copy: docs/operate/keys.md, “When the key file is lost”`,
      );
    createKeysFile(path);
  }
  return heldOf(readContent(path));
}

const REASONS: Record<string, string> = {
  EACCES: 'this user may not write to the file or to its folder',
  EPERM: 'this user may not write to the file or to its folder',
  EROFS: 'the file system is read-only',
  EBUSY: 'the file is mounted alone; mount its folder',
  ENOSPC: 'the disk is full',
};

function inWords(path: string, error: unknown, done = 'changed'): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new Error(`KEYS_FILE: ${path} cannot be ${done}: ${REASONS[code] ?? message}`, { cause: error });
}

/**
 * Makes the file with a new key for each purpose.
 * @throws {Error} in plain words when the file exists (and stays unchanged) or cannot be made
 */
export function makeKeysFile(path: string): void {
  try {
    writeNewKeys(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw inWords(path, error, 'made');
    throw new Error(`KEYS_FILE: ${path} exists already and was not changed`, { cause: error });
  }
}

/**
 * Call before a change that goes along with a change of the file.
 * @throws {Error} in plain words when the file, or the folder of its successor, is read-only
 */
export function requireWritable(path: string): void {
  try {
    const file = realpathSync(path);
    for (const place of [file, dirname(file)]) accessSync(place, constants.W_OK);
  } catch (error) {
    throw inWords(path, error);
  }
}

function replaceContent(path: string, content: Content): void {
  try {
    // For a link, the file behind the link is replaced. Otherwise the link itself would be replaced, and other
    // processes would still read the old file.
    replacePrivateFile(realpathSync(path), textOf(content));
  } catch (error) {
    throw inWords(path, error);
  }
}

/** Adds a new key with this id to every purpose. The whole file is replaced. */
export function addKeyToFile(path: string, id: string): void {
  requireWritable(path);
  const content = readContent(path);
  const lists = PURPOSES.map((purpose) => [purpose, [...content[purpose], freshKey(id)]]);
  replaceContent(path, Object.fromEntries(lists) as Content);
}

/** Removes a key of one purpose from the file; returns whether the key was there. */
export function removeKeyFromFile(path: string, purpose: KeyPurpose, id: string): boolean {
  const content = readContent(path);
  const left = content[purpose].filter((key) => key.id !== id);
  if (left.length === content[purpose].length) return false;
  replaceContent(path, { ...content, [purpose]: left });
  return true;
}
