import type { Request, RequestHandler } from 'express';
import type { CallKind } from '../../../domain/old-calls/who-answers.ts';
import { findCarriedToken, type CarriedToken } from '../../wire/bearer-token.ts';
import { createAddressHandlers } from '../call.ts';
import { noteRefusedCall } from '../refused-call-usage.ts';
import { LegacyError } from '../../wire/legacy-error.ts';
import type { PassThroughDeps } from './pass-through.ts';
import { mayPass } from './passable-path.ts';
import { MalformedBody } from '../../wire/bodies/malformed-body.ts';

/**
 * Calls that the bridge does not serve but the old API may: other paths, and other methods and formats of known calls.
 */

/**
 * HEAD changes nothing on any old path, so only HEAD of a call that reads is passed. The old API answered no further
 * methods.
 */
const PASSED_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const isPassed = (kind: CallKind, method: string) =>
  kind === 'head' ? method === 'HEAD' : PASSED_METHODS.includes(method);

/** An unreadable body holds no token. The call counts as a call without a token. */
async function tokenOf(req: Request): Promise<CarriedToken | undefined> {
  try {
    return await findCarriedToken(req);
  } catch (error) {
    if (error instanceof LegacyError && error.cause instanceof MalformedBody) return undefined;
    throw error;
  }
}

/**
 * Makes the handlers of an address that the bridge refuses, for calls that the old API may answer. Routing comes before
 * authentication: a call that neither side could answer is refused unread. The bridge looks up the token of such a call
 * after the refusal. An owner has to know of these calls before the old API ends, and without an old API the end has
 * come already.
 */
export function createOtherPaths(passing: PassThroughDeps, readBody: RequestHandler) {
  const { context } = passing;
  const answers = createAddressHandlers(passing);
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
