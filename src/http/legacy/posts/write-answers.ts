import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../../domain/ids/match-ids.ts';
import type { LegacyDeps } from '../deps.ts';
import { whyUnsent } from '../../../domain/limits/fair-shares.ts';
import type { Writer } from '../../../domain/posts/writes/writes.ts';
import { oldCallOf } from '../../../domain/old-calls/old-calls.ts';
import { FieldRefused } from '../../../domain/translation/call-fields.ts';
import { type OldRefusal, refusalOfField } from '../../../domain/translation/old-refusal.ts';
import { waitWords } from '../../../domain/translation/wait-words.ts';
import { requestIdOf, waitedFor } from '../../request-id.ts';
import { LegacyError } from '../../wire/legacy-error.ts';
import { Note } from '../../../shared/memory/note.ts';

/** Refusals of calls that write: `success: false`, `message` and `link` stand beside the fields of every refusal. */

const writes = new Note<Response, true>();

/** The outcome of a write as a refusal. The words may quote a post: they are for the caller, and never logged. */
export class WriteRefused extends LegacyError {}

/**
 * Marks the call as a write. Every refusal from here on has the form of a write: for its size, a limit, a parameter.
 */
export const markWrite: RequestHandler = (_req, res, next) => {
  writes.set(res, true);
  next();
};

/** Refusals that stay as the old API sent them: the 401 of a token, and the 404 of a path. */
const isRecorded = (refusal: LegacyError) =>
  refusal.status === 401 || (refusal.code === 404 && !(refusal instanceof WriteRefused));

/**
 * The message of a limit that stopped a call before the bridge sent anything says that nothing was written. A person
 * who reads only "too many requests" would look for the post. A write that was sent has words of its own
 * (`WriteRefused`).
 */
function wordsOf(res: Response, { status, message, headers }: LegacyError): string {
  const seconds = Number(headers['Retry-After']);
  if (status !== 429 || !(seconds > 0)) return message;
  const nothing = oldCallOf(res.req.path) === 'createUpdate' ? 'Nothing was posted.' : 'Nothing was changed.';
  return `${message} ${nothing} Try again in ${waitWords(seconds)}.`;
}

/**
 * A refusal in the form of a call that writes. Without a better link it links to the page that describes both APIs. The outcome
 * of a write has that form at every address: a call that nobody here knows may have written at the old API.
 */
export function asWriteRefusal({ settings }: LegacyDeps, res: Response, refusal: LegacyError): LegacyError {
  const isWrite = refusal instanceof WriteRefused || writes.get(res);
  if (!isWrite || isRecorded(refusal)) return refusal;
  const { status, code, headers, extra } = refusal;
  const message = refusal instanceof WriteRefused ? refusal.message : wordsOf(res, refusal);
  const link = `${settings.publicUrl}/lifecycle`;
  return new LegacyError([status, code, message], {
    headers,
    extra: { success: false, message, link, ...extra },
    cause: refusal.cause,
  });
}

/** The error for a refusal. `beside` holds further fields of the answer. */
export function errorOf(
  { status, code, message, link, retryAfter }: OldRefusal,
  beside: Record<string, unknown> = {},
): WriteRefused {
  return new WriteRefused([status, code, message], {
    extra: { ...(link === undefined ? {} : { link }), ...beside },
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  });
}

/** The page where a person sees the outcome of a post. */
export function placeToLook(
  { settings }: LegacyDeps,
  { client_id: clientId }: Pick<Caller['mapping'], 'client_id'>,
): string {
  return `${settings.publicUrl}/apps/${clientId}`;
}

type WriteHandler = (
  caller: Caller,
  writer: Writer,
  exchange: { req: Request; res: Response },
) => Promise<void>;

/**
 * Makes the handler of a call that writes. The time limit counts from the arrival of the call. Every error but a
 * `WriteRefused` proves that nothing was written.
 */
export function writing(context: LegacyDeps, handle: WriteHandler) {
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
export type CallHandlerFactory = (
  handle: (caller: Caller, req: Request, res: Response) => Promise<void>,
) => RequestHandler;
