import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../domain/context.ts';
import type { Brownout, Ending } from '../../domain/lifecycle.ts';
import { retirementOf } from '../../domain/old-backend-for.ts';
import { passServed } from '../../domain/pass-through.ts';
import { isFromBefore, type Resolved, resolveToken } from '../../domain/resolve-token.ts';
import { provenApp } from '../../domain/tokens/proven-app.ts';
import { tellDates } from './added-headers.ts';
import { findToken, type FoundToken } from './bearer-token.ts';
import { inBrownout } from './brownout-text.ts';
import { noteLate } from './late-note.ts';
import { LegacyError, REFUSALS } from './legacy-error.ts';
import { isV1, legacyCall, type Passing, passOn, sendPassed } from './pass-through.ts';
import { MalformedBody } from './request-parameters.ts';
import { noteUsage } from './usage-note.ts';

/** What the bridge does not serve itself and the old backend may (design 5, other v1 paths). */

/** HEAD has no effect on any old path (hardening finding 4); the rest is nothing that the old API answered. */
const PASSED_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A body that nobody can read holds no token; the path is refused then as it is without one. */
async function tokenOf(req: Request): Promise<FoundToken | undefined> {
  try {
    return await findToken(req);
  } catch (error) {
    if (error instanceof LegacyError && error.cause instanceof MalformedBody) return undefined;
    throw error;
  }
}

interface Call {
  req: Request;
  res: Response;
  found: FoundToken;
}

/** Whether the old backend answered it. */
async function passResolved(
  passing: Passing,
  { req, res, found }: Call,
  resolved: Resolved,
): Promise<boolean> {
  const asking = { req, res, token: found.token };
  switch (resolved.kind) {
    case 'refused':
      return false;
    case 'served': {
      passing.limit(resolved.mapping);
      const answer = await passServed(passing.context, resolved.mapping, await legacyCall(asking));
      if (answer) sendPassed(res, answer);
      return answer !== undefined;
    }
    case 'waiting':
    case 'unknown':
      await passOn(passing, asking, resolved);
      return true;
  }
}

/** A token that a grant serves goes there for an unknown path alone: what is served here has one answer for it. */
function isPassed(resolved: Resolved, refusal: LegacyError): boolean {
  if (resolved.kind !== 'served') return resolved.kind !== 'refused';
  return refusal.status === REFUSALS.unknownPath[0] && isFromBefore(resolved.mapping);
}

/** Why a call is not passed on that is passed at other times; read once, for the decision and the refusal. */
function endingHere(context: Context, resolved: Resolved, refusal: LegacyError): Ending | undefined {
  if (resolved.kind === 'refused') return resolved.ending;
  if (resolved.kind !== 'served' || !isPassed(resolved, refusal)) return undefined;
  return retirementOf(context, provenApp(resolved.mapping));
}

function brownoutOf(ending: Ending | undefined): Brownout | undefined {
  return ending?.because === 'brownout' ? ending.brownout : undefined;
}

/** What the call is refused with from the retirement on, and in a brownout in the words of that. */
function afterwards(context: Context, refusal: LegacyError, ending: Ending): LegacyError {
  if (ending.because === 'date') return refusal;
  const { status, code, message, headers } = refusal;
  return new LegacyError(inBrownout(context, [status, code, message], ending.brownout), { headers });
}

/**
 * Makes the handlers of an address that the bridge refuses, which is passed on where the token is the old backend's.
 * Routing comes before authentication: without a token the refusal stands, and what nobody could answer is refused unread.
 * Whose token such a call had is looked up behind the refusal: it is what an owner has to know of before the old API ends,
 * and where there is none to ask it has ended already.
 */
export function createElsewhere(passing: Passing, readBody: RequestHandler) {
  const { context } = passing;
  return (refuse: () => LegacyError): RequestHandler[] => {
    const onlyPassable: RequestHandler = (req, _res, next) => {
      if (context.oldBackend && PASSED_METHODS.includes(req.method) && isV1(req)) return next();
      noteLate(context, req);
      throw refuse();
    };
    if (!context.oldBackend) return [onlyPassable];
    const pass: RequestHandler = async (req, res) => {
      const found = await tokenOf(req);
      const refusal = refuse();
      if (found === undefined) throw refusal;
      const resolved = await resolveToken(context, found.token);
      const ending = endingHere(context, resolved, refusal);
      if (resolved.mapping) tellDates(context, res, { clientId: provenApp(resolved.mapping) });
      noteUsage(context, { ...found, mapping: resolved.mapping, brownout: brownoutOf(ending) }, req);
      // A token that waited for the old API is what a call fails for once there is none for its app (design 6).
      if (ending && resolved.kind === 'refused' && resolved.mapping) throw resolved.refusal;
      if (ending) throw afterwards(context, refusal, ending);
      const isAnswered =
        isPassed(resolved, refusal) && (await passResolved(passing, { req, res, found }, resolved));
      if (!isAnswered) throw refusal;
    };
    return [onlyPassable, readBody, pass];
  };
}
