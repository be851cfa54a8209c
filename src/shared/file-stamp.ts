import { statSync } from 'node:fs';

/** A text that changes when the file changes; undefined when the file cannot be read. */
export function stampOf(path: string): string | undefined {
  try {
    const { ino, mtimeMs, ctimeMs, size } = statSync(path);
    return [ino, mtimeMs, ctimeMs, size].join('/');
  } catch {
    return undefined;
  }
}
