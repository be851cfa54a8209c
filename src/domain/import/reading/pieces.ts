import type { FileHandle } from 'node:fs/promises';

/** Bytes that can be read from their start any number of times; `size` in bytes. */
export interface ByteSource {
  size: number;
  read(): AsyncGenerator<Buffer>;
  /** Whether the bytes are others than at the opening. Absent where nobody else can change them. */
  hasChanged?: () => Promise<boolean>;
  close(): Promise<void>;
}

const PIECE = 256 * 1024;

/** The bytes of an open file from its start, whatever other readers of the file do. */
export async function* bytePieces(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    // Each read needs a new buffer: the rest of a line stays in the buffer until the line is whole.
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE), 0, PIECE, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
