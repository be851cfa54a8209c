import express, { type Request } from 'express';
import type { Context } from '../../domain/context.ts';
import type { Brownout } from '../../domain/lifecycle/lifecycle.ts';
import { learnFrom } from '../../domain/tokens/resolve-token.ts';
import { untilRead } from '../wire/read-body.ts';
import { type FoundToken, hasTokenBeforeBody, tokenIfAny } from '../wire/bearer-token.ts';
import { answeredAs, noteAnswered, seenOf } from './usage-note.ts';

/**
 * Calls that are answered without a look at them: by a sunset that is the same for all, and at addresses that nobody
 * serves. Their tokens are read all the same, beside the answer, which waits for nothing and is the same whatever they are:
 * it is then that owners look for a script that they forgot, and that support is asked who still calls. So such a call is
 * measured and shown like any other. Nothing is written about a token that is not known.
 */

/**
 * A body that the answer does not wait for would be thrown away as it comes. A post is shorter than that; a packed one
 * would have to be unpacked, for anybody who sends it.
 */
const readBytes = express.raw({ type: () => true, limit: '64kb', inflate: false });

interface Late extends FoundToken {
  brownout: Brownout | undefined;
}

/** What is told of it waits for its turn, so that it holds neither request nor answer. */
function lookUp(
  context: Context,
  { token, carrier, brownout }: Late,
  answered: ReturnType<typeof answeredAs>,
): void {
  context.lateTokens.lookUp(token, (known) => {
    const mapping = learnFrom(context, known, token);
    noteAnswered(context, { carrier, mapping, brownout }, answered);
  });
}

/**
 * Measures such a call, and shows it to those who look on, soon after its answer has left. The body is read only where no
 * token came before it: clients that close, or that leave once they are answered, never send all of it. A token in such a
 * body is not known of, and nothing waits for it: it goes with the connection.
 */
export function noteRefusedCall(context: Context, req: Request, brownout?: Brownout): void {
  const { res } = req;
  if (res === undefined || !context.lateTokens.hasRoom()) return;
  const seen = seenOf(req);
  const hasToken = hasTokenBeforeBody(req);
  const read = hasToken ? undefined : untilRead(readBytes, req).catch(() => undefined);
  const note = async () => {
    await read;
    const found = await tokenIfAny(req);
    // Nobody needs the body any more, and what keeps the request would keep it.
    req.body = undefined;
    if (found) lookUp(context, { ...found, brownout }, answeredAs(seen, res));
  };
  res.once('finish', () => {
    note().catch((error: unknown) => context.logger.warn('a refused call was not measured', { error }));
  });
}
