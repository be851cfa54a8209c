import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../domain/context.ts';
import { withPatience } from '../../domain/patience.ts';
import { type Reading, readAccount } from '../../domain/read-account.ts';
import { resolveToken, servedBy, type ServedMapping } from '../../domain/resolve-token.ts';
import { CALLER_WAIT, SECOND } from '../../shared/lifetimes.ts';
import { findToken } from './bearer-token.ts';
import { LegacyError, REFUSALS, sendChallenge } from './legacy-error.ts';

/**
 * What every old call with a token goes through, in order: find the token, resolve it, count it against the limit. A
 * handler gets the mapping that it acts for.
 */

/** `LEGACY_RATE_LIMIT` calls a minute for one app and account, as the old API had (legacy-api 7); 0 turns it off. */
function createRateLimit({ counts }: Context, perMinute: number): (mapping: ServedMapping) => void {
  return (mapping) => {
    if (perMinute === 0) return;
    const { points, secondsLeft } = counts.count(['calls', mapping.client_id, mapping.account_id]);
    if (points <= perMinute) return;
    throw new LegacyError(REFUSALS.rateLimit, { headers: { 'Retry-After': String(secondsLeft) } });
  };
}

type CallHandler = (mapping: ServedMapping, req: Request, res: Response) => Promise<void>;

/** Makes handlers of old calls; all made by one of these share the limit. */
export function createCalls(context: Context, perMinute: number) {
  const limit = createRateLimit(context, perMinute);
  return (handle: CallHandler): RequestHandler =>
    async (req, res) => {
      const token = await findToken(req);
      if (token === undefined) return sendChallenge(res);
      const mapping = await resolveToken(context, token);
      limit(mapping);
      await handle(mapping, req, res);
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
