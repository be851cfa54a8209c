import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newHexId } from '../../../shared/ids.ts';
import { type ByteSource, bytePieces } from './pieces.ts';

const CIPHER = 'aes-256-ctr';

/**
 * Stores input that can be read only once, for further readings. The input may hold tokens in the clear, so the file is
 * encrypted with a key that only this process has. The name of the file is removed before the file is filled: when the
 * process ends in any way, the file is gone.
 */
export async function spool(input: AsyncIterable<Buffer>, folder: string): Promise<ByteSource> {
  const file = join(folder, `${newHexId()}.spool`);
  const handle = await open(file, 'wx+', 0o600);
  await rm(file);
  const [key, iv] = [randomBytes(32), randomBytes(16)];
  const cipher = createCipheriv(CIPHER, key, iv);
  let size = 0;
  for await (const piece of input) {
    await handle.appendFile(cipher.update(piece));
    size += piece.length;
  }
  async function* read() {
    const decipher = createDecipheriv(CIPHER, key, iv);
    for await (const piece of bytePieces(handle)) yield decipher.update(piece);
  }
  return { size, read, close: () => handle.close() };
}
