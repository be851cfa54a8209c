import type { FileHandle } from 'node:fs/promises';

/** What can be read from its start as often as it is asked for; `size` in bytes. */
export interface Bytes {
  size: number;
  read(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const PIECE = 256 * 1024;

/** The bytes of an open file from its start, whoever else reads it. */
export async function* piecesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    // A new one each time: the rest of a line stays in it until the line is whole.
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE), 0, PIECE, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
