import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a text that may be larger than the memory. */
export type PiecePrinter = (pieces: AsyncIterable<string>) => Promise<void>;

/**
 * Prints to standard output, as fast as it is read. A reader that stops early, as `head` does, has read enough: EPIPE is
 * no error.
 */
export const printPieces: PiecePrinter = async (pieces) => {
  await pipeline(Readable.from(pieces), process.stdout, { end: false }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  });
};
