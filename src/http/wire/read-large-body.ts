import { finished, PassThrough, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request, Response } from 'express';
import { SECOND } from '../../shared/lifetimes.ts';
import { Unavailable } from '../../domain/failures.ts';
import { BODY_LIMIT, LARGE_BODY_LIMIT } from './body-limits.ts';
import { discardSlowly, onCut, UnreadableBody } from './unreadable-body.ts';

/**
 * Reads the body of a known caller, which may be large. The reader asks for a place only when more bytes have come,
 * unpacked, than an unknown caller may send. So small slow bodies hold no place. No parser of express can wait in the
 * middle of a body.
 */

/** A body that holds a place must arrive within this time. Otherwise the place goes to another body. */
const HELD_WITHIN = 15 * SECOND;

/** Waits for a place. Call the result to give the place back. @throws {Unavailable} no place became free in time */
type AskForPlace = () => Promise<() => void>;

interface BodyDecoder {
  create: () => Transform;
  /** The decoder takes megabytes of memory before its first byte, so the body needs a place from the beginning. */
  isDear?: true;
}

const CODINGS = new Map<string, BodyDecoder>([
  ['identity', { create: () => new PassThrough() }],
  ['gzip', { create: createGunzip }],
  ['deflate', { create: createInflate }],
  ['br', { create: createBrotliDecompress, isDear: true }],
]);

/** The fault of a body, with the status of its refusal. */
const fault = (status: number, message: string) => Object.assign(new Error(message), { status });

/** A body that did not arrive in time. */
class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** A place that is asked for at most once, and given back once. */
function createPlace(ask: AskForPlace, tooSlow: () => void) {
  let giveBack: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    async take(): Promise<void> {
      if (giveBack) return;
      giveBack = await ask();
      timer = setTimeout(tooSlow, HELD_WITHIN);
    },
    /**
     * The whole body has arrived. The place is given back after the answer, because the body is in memory until then.
     */
    keepUntilAnswered(res: Response): void {
      clearTimeout(timer);
      if (giveBack) finished(res, giveBack);
    },
    giveBack(): void {
      clearTimeout(timer);
      giveBack?.();
    },
  };
}

async function collect(bytes: AsyncIterable<Buffer>, takePlace: () => Promise<void>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > LARGE_BODY_LIMIT) throw fault(413, 'the body is too large');
    if (size > BODY_LIMIT) await takePlace();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/**
 * A caller that is still sending reads its answer only after the whole body is sent. Resolves then, or when the caller
 * is gone.
 */
const untilSent = (req: Request) =>
  new Promise<void>((resolve) => {
    if (req.closed) return resolve();
    req.once('close', resolve);
    return discardSlowly(req);
  });

function decoderOf(req: Request) {
  const coding = CODINGS.get(req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity');
  if (!coding) throw new UnreadableBody(fault(415, 'the coding of the body is not known'));
  // The decoder may fail on bytes that are not unpacked any more. That failure is harmless.
  return { isDear: coding.isDear, bytes: coding.create().on('error', () => undefined) };
}

/**
 * A refusal of the bridge, or of a slow body, is sent at once. A faulty body is refused after the caller has sent all
 * of it.
 */
async function refusalOf(req: Request, error: unknown): Promise<Error> {
  if (error instanceof Unavailable) return error;
  if (!(error instanceof TooSlow)) await untilSent(req);
  return new UnreadableBody(error);
}

/**
 * Reads a body of up to 10 MB, unpacked, into the request.
 * @throws {UnreadableBody | Unavailable} the errors that the call is answered with
 */
export async function readLargeBody(req: Request, ask: AskForPlace): Promise<void> {
  const { bytes, isDear } = decoderOf(req);
  const place = createPlace(ask, () => bytes.destroy(new TooSlow()));
  const forget = onCut(req, (error) => bytes.destroy(error));
  const stop = () => {
    forget();
    req.unpipe(bytes).resume();
    bytes.destroy();
  };
  try {
    if (isDear) await place.take();
    req.body = await collect(req.pipe(bytes), () => place.take()).finally(stop);
  } catch (error) {
    place.giveBack();
    throw await refusalOf(req, error);
  }
  place.keepUntilAnswered(req.res as Response);
}
