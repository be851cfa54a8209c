import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../../domain/learn-ids.ts';
import type { Context } from '../../../domain/context.ts';
import type { Writer } from '../../../domain/posts/writes/writes.ts';
import { FieldRefused } from '../../../domain/translation/call-fields.ts';
import { type OldRefusal, refusalOfField } from '../../../domain/translation/old-refusal.ts';
import { requestIdOf, waitedFor } from '../../request-id.ts';
import { LegacyError } from '../legacy-error.ts';

/** How calls that write say no: `success: false` beside what every refusal has. */

const writes = new WeakSet<Response>();

/** From here on a refusal is one of a call that writes. */
function markWrite(res: Response): void {
  writes.add(res);
}

/** A refusal as a call that writes gives it. The recorded 401 stays as it is. */
export function asWriteRefusal(res: Response, refusal: LegacyError): LegacyError {
  if (!writes.has(res) || refusal.status === 401) return refusal;
  const { status, code, message, headers, extra } = refusal;
  return new LegacyError([status, code, message], {
    headers,
    extra: { success: false, message, ...extra },
    cause: refusal.cause,
  });
}

/** What became of a write, told as a refusal. Its words may quote a post, so that they are for the caller and no log. */
export class WriteRefused extends LegacyError {}

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

/** Makes the handler of a call that writes: its refusals look like one, and its caller's patience counts from when the call came. */
export function writing(context: Context, handle: WriteHandler) {
  return async (caller: Caller, req: Request, res: Response): Promise<void> => {
    markWrite(res);
    const writer = {
      mapping: caller.mapping,
      requestId: requestIdOf(res),
      came: context.clock.elapsed() - waitedFor(res),
    };
    try {
      await handle(caller, writer, { req, res });
    } catch (error) {
      throw error instanceof FieldRefused ? errorOf(refusalOfField(error)) : error;
    }
  };
}

/** Makes handlers of old calls (call.ts). */
export type Calls = (
  handle: (caller: Caller, req: Request, res: Response) => Promise<void>,
) => RequestHandler;
