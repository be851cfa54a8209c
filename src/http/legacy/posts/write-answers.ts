import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../../domain/ids/match-ids.ts';
import type { Context } from '../../../domain/context.ts';
import { whyUnsent } from '../../../domain/limits/fair-reads.ts';
import type { Writer } from '../../../domain/posts/writes/writes.ts';
import { oldCallOf } from '../../../domain/old-calls/old-calls.ts';
import { FieldRefused } from '../../../domain/translation/call-fields.ts';
import { type OldRefusal, refusalOfField } from '../../../domain/translation/old-refusal.ts';
import { waitWords } from '../../../domain/translation/wait-words.ts';
import { requestIdOf, waitedFor } from '../../request-id.ts';
import { LegacyError } from '../../wire/legacy-error.ts';

/** How calls that write say no: `success: false`, `message` and `link` beside what every refusal has. */

const writes = new WeakSet<Response>();

/** What became of a write, told as a refusal. Its words may quote a post, so that they are for the caller and no log. */
export class WriteRefused extends LegacyError {}

/** From here on a refusal is one of a call that writes, whatever refuses it: its size, a limit, a parameter. */
export const markWrite: RequestHandler = (_req, res, next) => {
  writes.add(res);
  next();
};

/** What the old service itself sent stays as it was: the 401 of a token, and the 404 of a path. */
const isRecorded = (refusal: LegacyError) =>
  refusal.status === 401 || (refusal.code === 404 && !(refusal instanceof WriteRefused));

/**
 * A limit that a call reached before anything was sent says so: a person who reads only that there were too many requests
 * would look for the post. What was sent has words of its own (`WriteRefused`).
 */
function wordsOf(res: Response, { status, message, headers }: LegacyError): string {
  const seconds = Number(headers['Retry-After']);
  if (status !== 429 || !(seconds > 0)) return message;
  const nothing = oldCallOf(res.req.path) === 'createUpdate' ? 'Nothing was posted.' : 'Nothing was changed.';
  return `${message} ${nothing} Try again in ${waitWords(seconds)}.`;
}

/** A refusal as a call that writes gives it; it links to the page that tells of both APIs where it has no better one. */
export function asWriteRefusal({ settings }: Context, res: Response, refusal: LegacyError): LegacyError {
  if (!writes.has(res) || isRecorded(refusal)) return refusal;
  const { status, code, headers, extra } = refusal;
  const message = refusal instanceof WriteRefused ? refusal.message : wordsOf(res, refusal);
  const link = `${settings.publicUrl}/lifecycle`;
  return new LegacyError([status, code, message], {
    headers,
    extra: { success: false, message, link, ...extra },
    cause: refusal.cause,
  });
}

/** The error that answers a refusal; `beside` is what the answer says besides. */
export function errorOf(
  { status, code, message, link, retryAfter }: OldRefusal,
  beside: Record<string, unknown> = {},
): WriteRefused {
  return new WriteRefused([status, code, message], {
    extra: { ...(link === undefined ? {} : { link }), ...beside },
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  });
}

/** Where a person can look what became of a post. */
export function placeToLook({ settings }: Context, { client_id: clientId }: Caller['mapping']): string {
  return `${settings.publicUrl}/apps/${clientId}`;
}

type WriteHandler = (
  caller: Caller,
  writer: Writer,
  exchange: { req: Request; res: Response },
) => Promise<void>;

/**
 * Makes the handler of a call that writes: its caller's patience counts from when the call came. Whatever a handler throws
 * but a `WriteRefused` proves that nothing was written.
 */
export function writing(context: Context, handle: WriteHandler) {
  return async (caller: Caller, req: Request, res: Response): Promise<void> => {
    const writer = {
      mapping: caller.mapping,
      requestId: requestIdOf(res),
      came: context.clock.elapsed() - waitedFor(res),
    };
    try {
      await handle(caller, writer, { req, res });
    } catch (error) {
      if (error instanceof FieldRefused) throw errorOf(refusalOfField(error));
      throw whyUnsent(context, { modernClientId: caller.mapping.modern_client_id }, error);
    }
  };
}

/** Makes handlers of old calls (call.ts). */
export type Calls = (
  handle: (caller: Caller, req: Request, res: Response) => Promise<void>,
) => RequestHandler;
