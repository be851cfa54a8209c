import { fstatSync, openSync, readSync } from 'node:fs';

/** The whole lines that were added to a file since the last call. */
export function followFile(path: string): () => string[] {
  const file = openSync(path, 'a+');
  let position = 0;
  let rest = '';
  return () => {
    const { size } = fstatSync(file);
    const added = Buffer.alloc(size - position);
    readSync(file, added, 0, added.length, position);
    position = size;
    const lines = (rest + added.toString()).split('\n');
    rest = lines.pop() ?? '';
    return lines;
  };
}
