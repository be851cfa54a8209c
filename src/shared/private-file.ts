import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}.draft`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'w', flush: true });
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * Writes a file that only its owner may read, whole or not at all, also over a power cut, and never over an existing
 * one: what it holds cannot be made a second time.
 * @throws {Error} with code EEXIST when the file is there already
 */
export function createPrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = writeDraft(path, text);
  try {
    linkSync(draft, path);
  } finally {
    unlinkSync(draft);
  }
  syncFolder(path);
}

/** Puts a file that only its owner may read in the place of another, whole or not at all, also over a power cut. */
export function replacePrivateFile(path: string, text: string): void {
  renameSync(writeDraft(path, text), path);
  syncFolder(path);
}
