import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file that only its owner may read, whole or not at all, also over a power cut, and never over an existing
 * one: what it holds cannot be made a second time.
 * @throws {Error} with code EEXIST when the file is there already
 */
export function createPrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'w', flush: true });
  try {
    linkSync(draft, path);
  } finally {
    unlinkSync(draft);
  }
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
