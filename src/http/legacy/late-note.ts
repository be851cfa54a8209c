import express, { type Request } from 'express';
import type { Context } from '../../domain/context.ts';
import type { Brownout } from '../../domain/lifecycle.ts';
import { tokenIfAny } from './bearer-token.ts';
import { untilRead } from './read-body.ts';
import { noteAnswered, seenOf } from './usage-note.ts';

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

/** Measures such a call, and shows it to those who look on, soon after its answer has left. */
export function noteLate(context: Context, req: Request, brownout?: Brownout): void {
  const { res } = req;
  if (res === undefined || !context.lateTokens.hasRoom()) return;
  const seen = seenOf(req);
  const read = untilRead(readBytes, req).catch(() => undefined);
  const note = async () => {
    await read;
    const found = await tokenIfAny(req);
    if (!found) return;
    const { token, carrier } = found;
    context.lateTokens.lookUp(token, (mapping) =>
      noteAnswered(context, { carrier, mapping, brownout }, { seen, res }),
    );
  };
  res.once('finish', () => {
    note().catch((error: unknown) => context.logger.warn('a refused call was not measured', { error }));
  });
}
