import express, { type Request } from 'express';
import type { LegacyDeps } from './deps.ts';
import type { Brownout } from '../../domain/lifecycle/lifecycle.ts';
import { learnFrom } from '../../domain/tokens/resolve-token.ts';
import { untilRead } from '../wire/read-body.ts';
import { type CarriedToken, hasTokenBeforeBody, tokenIfAny } from '../wire/bearer-token.ts';
import { answeredAs, noteAnswered, seenOf } from './usage-note.ts';

/**
 * Usage of calls that the bridge refuses unread: after a sunset that is the same for all apps, and at addresses that
 * are not served. The answer waits for nothing and does not depend on the token. The token is still read, beside the
 * answer, and the call is measured and shown like any other call. Owners look for a forgotten script at this time, and
 * ask support who still calls. Unknown tokens leave no trace.
 */

/**
 * Node would throw away a body that the answer does not wait for. A post is shorter than this limit. Packed bodies are
 * not unpacked, because any caller could make the bridge do that work.
 */
const readBytes = express.raw({ type: () => true, limit: '64kb', inflate: false });

interface RefusedCall extends CarriedToken {
  brownout: Brownout | undefined;
}

/** Queues the look-up of the token. The queue keeps neither the request nor the answer in memory. */
function lookUp(
  context: LegacyDeps,
  { token, carrier, brownout }: RefusedCall,
  answered: ReturnType<typeof answeredAs>,
): void {
  context.lateTokens.lookUp(token, (known) => {
    const mapping = learnFrom(context, known, token);
    noteAnswered(context, { carrier, mapping, brownout }, answered);
  });
}

/**
 * Measures a call that was refused unread, and shows the call on live pages, soon after its answer has left. The body
 * is read only where no token came before the body. Some clients close the connection, or leave after the answer, and
 * never send the whole body. A token in such a body stays unknown, and nothing waits for the rest.
 */
export function noteRefusedCall(context: LegacyDeps, req: Request, brownout?: Brownout): void {
  const { res } = req;
  if (res === undefined || !context.lateTokens.hasRoom()) return;
  const seen = seenOf(req);
  const hasToken = hasTokenBeforeBody(req);
  const read = hasToken ? undefined : untilRead(readBytes, req).catch(() => undefined);
  const note = async () => {
    await read;
    const found = await tokenIfAny(req);
    // The body is not needed any more. Whatever still refers to the request would keep the body in memory.
    req.body = undefined;
    if (found) lookUp(context, { ...found, brownout }, answeredAs(seen, res));
  };
  res.once('finish', () => {
    note().catch((error: unknown) => context.logger.warn('a refused call was not measured', { error }));
  });
}
