import type { Request, RequestHandler, Response } from 'express';
import { mayAct } from '../../domain/accounts/staff.ts';
import { keyActor } from '../../domain/history/key-actor.ts';
import { callingOf } from '../request-trace.ts';
import { sendJsonText } from '../wire/legacy-error.ts';
import type { HttpStaffApiDeps } from './deps.ts';
import { apiCallerOf } from './door/know-caller.ts';
import { readCall } from './door/read-call.ts';
import { doOnce } from './idempotency.ts';
import type { ApiOperation } from './operation.ts';
import { ApiProblem } from './problems/problems.ts';

/** Runs one operation for a known caller. */

/** The roles are those of staff, and so is the rule. */
function requireRoleOf({ needs }: ApiOperation, res: Response): void {
  const { role } = apiCallerOf(res);
  if (mayAct(role, needs)) return;
  const words = `It takes the role “${needs}”, and the role of the key is “${role}”. Nothing was changed.`;
  throw new ApiProblem('role-too-low', words);
}

/** Before the body is read: a refused role costs no more. */
export function checkRole(one: ApiOperation): RequestHandler {
  return (_req: Request, res, next) => {
    requireRoleOf(one, res);
    next();
  };
}

/** Does the operation and sends its answer. */
export function runOperation(context: HttpStaffApiDeps, one: ApiOperation): RequestHandler {
  return async (req, res) => {
    const caller = apiCallerOf(res);
    const origin = { actor: keyActor(caller.keyId), ...callingOf(res) };
    const call = readCall(one, req);
    const work = () => one.run(context, { ...call, caller, origin });
    const { status, text, isRepeated } = one.isWrite
      ? await doOnce(context, { one, req, call, keyId: caller.keyId }, work)
      : { status: 200, text: JSON.stringify(await work()), isRepeated: false };
    if (isRepeated) res.setHeader('Idempotency-Replayed', 'true');
    sendJsonText(res, status, text);
  };
}
