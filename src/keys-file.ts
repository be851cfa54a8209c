import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { createPrivateFile } from './shared/private-file.ts';
import type { Key, KeyRing, Keys } from './shared/secrets.ts';

/**
 * The key file: one list of keys per purpose, each key `{ id, secret }` with 32 bytes in base64url, the first of a list
 * being the active one. It is made at the first start of a fresh machine and never again: a lost key file must stop the
 * start, because new keys would turn every stored token into an unknown one.
 */

const PURPOSES = ['digest', 'sealing', 'session', 'history'] as const;

const keyList = z
  .array(
    z.object({
      id: z.string().regex(/^[a-z0-9]{1,16}$/),
      secret: z
        .string()
        .refine((text) => Buffer.from(text, 'base64url').length === 32, 'must be 32 bytes in base64url'),
    }),
  )
  .min(1);

const keysFile = z.object({ digest: keyList, sealing: keyList, session: keyList, history: keyList });

function freshKeys() {
  return [{ id: 'k1', secret: randomBytes(32).toString('base64url') }];
}

function createKeysFile(path: string): void {
  const content = Object.fromEntries(PURPOSES.map((purpose) => [purpose, freshKeys()]));
  try {
    createPrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
  } catch (error) {
    // Another first start on this machine was faster: its keys are the ones.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`KEYS_FILE: ${path} is not readable as JSON`, { cause });
  }
}

function ringOf(list: z.infer<typeof keyList>): KeyRing {
  const all: Key[] = list.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'base64url') }));
  const [active] = all;
  if (!active) throw new Error('an empty list of keys');
  return { active, all };
}

/**
 * Reads the keys, making them when the file is missing and `mayCreate` says that nothing depends on older ones.
 * @throws {Error} saying in plain words what is wrong with the file
 */
export function loadKeys(path: string, mayCreate: boolean): Keys {
  if (!existsSync(path)) {
    if (!mayCreate)
      throw new Error(`KEYS_FILE: ${path} is missing, and stored tokens can only be read with it`);
    createKeysFile(path);
  }
  const parsed = keysFile.safeParse(readJson(path));
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new Error(`KEYS_FILE: ${path} is not usable: ${problems.join('; ')}`);
  }
  const { digest, sealing, session, history } = parsed.data;
  return {
    digest: ringOf(digest),
    sealing: ringOf(sealing),
    session: ringOf(session),
    history: ringOf(history),
  };
}
