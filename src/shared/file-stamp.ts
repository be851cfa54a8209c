import { statSync } from 'node:fs';

/** Changes when the file does; undefined when it cannot be seen. */
export function stampOf(path: string): string | undefined {
  try {
    const { ino, mtimeMs, ctimeMs, size } = statSync(path);
    return [ino, mtimeMs, ctimeMs, size].join('/');
  } catch {
    return undefined;
  }
}
