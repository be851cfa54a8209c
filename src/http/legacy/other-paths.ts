import type { Request, RequestHandler } from 'express';
import type { CallKind } from '../../domain/old-calls/who-answers.ts';
import { findToken, type FoundToken } from '../wire/bearer-token.ts';
import { createAnswers } from './call.ts';
import { noteRefusedCall } from './refused-call-usage.ts';
import { LegacyError } from '../wire/legacy-error.ts';
import type { Passing } from './pass-through.ts';
import { mayPass } from './passable-path.ts';
import { MalformedBody } from '../wire/request-parameters.ts';

/** What the bridge does not serve itself and the old API may: other paths, other methods and formats of known calls. */

/** HEAD has an effect on no old path, so that only a call that reads passes it; the rest is nothing that the old API answered. */
const PASSED_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const isPassed = (kind: CallKind, method: string) =>
  kind === 'head' ? method === 'HEAD' : PASSED_METHODS.includes(method);

/** A body that nobody can read holds no token; the call is treated then as one without. */
async function tokenOf(req: Request): Promise<FoundToken | undefined> {
  try {
    return await findToken(req);
  } catch (error) {
    if (error instanceof LegacyError && error.cause instanceof MalformedBody) return undefined;
    throw error;
  }
}

/**
 * Makes the handlers of an address that the bridge refuses, for calls that the old API may answer. Routing comes before
 * authentication, and what nobody could answer is refused unread. Whose token such a call had is looked up behind the
 * refusal: it is what an owner has to know of before the old API ends, and where there is none to ask it has ended already.
 */
export function createOtherPaths(passing: Passing, readBody: RequestHandler) {
  const { context } = passing;
  const answers = createAnswers(passing);
  return (kind: CallKind, refuse: () => LegacyError): RequestHandler[] => {
    const onlyPassable: RequestHandler = (req, _res, next) => {
      if (context.oldBackend && isPassed(kind, req.method) && mayPass(req)) return next();
      noteRefusedCall(context, req);
      throw refuse();
    };
    if (!context.oldBackend) return [onlyPassable];
    const refused = () => {
      throw refuse();
    };
    const pass = answers({ kind, tokenOf, refuse, answer: refused, withoutToken: refused });
    return [onlyPassable, readBody, pass];
  };
}
