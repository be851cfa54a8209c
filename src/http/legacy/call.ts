import type { Request, RequestHandler, Response } from 'express';
import { withPatience } from '../../domain/patience.ts';
import type { Context } from '../../domain/context.ts';
import type { Caller } from '../../domain/learn-ids.ts';
import { type Reading, readAccount } from '../../domain/read-account.ts';
import {
  brownoutFor,
  type Resolved,
  resolveToken,
  servedBy,
  type ServedMapping,
} from '../../domain/resolve-token.ts';
import { provenApp } from '../../domain/tokens/proven-app.ts';
import { CALLER_WAIT, SECOND } from '../../shared/lifetimes.ts';
import { tellDates } from './added-headers.ts';
import { findToken } from './bearer-token.ts';
import { sendChallenge } from './legacy-error.ts';
import { type Passing, passOn } from './pass-through.ts';
import { noteUsage } from './usage-note.ts';

/**
 * What every old call with a token goes through, in order: find the token, resolve it, count it against the limit. A
 * handler gets the mapping that it acts for; a token that waits for its owner, or that the bridge has never seen, is the
 * old backend's while there is one.
 */

type CallHandler = (caller: Caller, req: Request, res: Response) => Promise<void>;

/** What a call with a known token that serves nothing does all the same, before it is refused. */
type RefusedHandler = (mapping: NonNullable<Resolved['mapping']>, res: Response) => Promise<void>;

/** Makes handlers of old calls. */
export function createCalls(passing: Passing) {
  const { context, limit } = passing;
  return (handle: CallHandler, beforeRefusal?: RefusedHandler): RequestHandler =>
    async (req, res) => {
      const found = await findToken(req);
      if (found === undefined) return sendChallenge(res);
      const { token } = found;
      const resolved = await resolveToken(context, token);
      if (resolved.mapping) tellDates(context, res, { clientId: provenApp(resolved.mapping) });
      noteUsage(context, { ...found, mapping: resolved.mapping, brownout: brownoutFor(resolved) }, req);
      if (resolved.kind === 'refused') {
        if (resolved.mapping) await beforeRefusal?.(resolved.mapping, res);
        throw resolved.refusal;
      }
      if (resolved.kind !== 'served') return passOn(passing, { req, res, token }, resolved);
      limit(resolved.mapping);
      await handle({ mapping: resolved.mapping, token }, req, res);
    };
}

/** The account and channels for a call; a stale answer says its age. */
export async function readFor(context: Context, mapping: ServedMapping, res: Response): Promise<Reading> {
  const work = servedBy(context, mapping, (grant) => readAccount(context, grant));
  const reading = await withPatience(work, CALLER_WAIT + SECOND);
  if (reading.isStale) {
    res.setHeader('Age', String(Math.floor((context.clock.now() - reading.fetchedAt) / 1000)));
  }
  return reading;
}
