import type { Request, RequestHandler, Response } from 'express';
import { type KeyCaller, apiCallerWith } from '../../../domain/api-keys/api-caller.ts';
import { isApiKeyForm } from '../../../domain/api-keys/make-api-key.ts';
import { createRefusalLog } from '../../../shared/log/refusal-log.ts';
import { createFailureBrake } from '../../pages/brake.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { ApiProblem } from '../problems/problems.ts';

/** Who calls: the key in `Authorization: Bearer`. Before it is known, a request costs one look-up at most. */

/** Requests of one key in a minute, on all processes together. */
const PER_MINUTE = 600;

/** Wrong keys of one network in a minute. More of them come one by one. A right key may ask for its whole minute at once. */
const WRONG_KEYS = { what: 'wrong API keys', perMinute: 30, freeAtOnce: PER_MINUTE };

const BEARER = /^Bearer +(\S{1,200})$/i;

/** @throws {ApiProblem} no key, which costs nothing */
function keyIn({ headers }: Request): string {
  const { authorization } = headers;
  if (authorization === undefined)
    throw new ApiProblem('no-key', 'Send the key in the header Authorization: Bearer KEY.');
  const key = BEARER.exec(authorization)?.[1];
  if (key !== undefined && isApiKeyForm(key)) return key;
  throw new ApiProblem('wrong-key', 'What stands in the header Authorization is no key of this API.');
}

const CALLER = 'apiCaller';

/** The caller of a request that passed the door. */
export const apiCallerOf = (res: Response): KeyCaller => res.locals[CALLER] as KeyCaller;

function countRequest({ counts }: HttpStaffApiDeps, { keyId }: KeyCaller): void {
  const { points, secondsLeft } = counts.count(['api requests', keyId], { limit: PER_MINUTE });
  if (points <= PER_MINUTE) return;
  const parts = { retryAfter: secondsLeft };
  throw new ApiProblem('too-many-requests', `One key may ask ${PER_MINUTE} times in a minute.`, parts);
}

/** Finds the caller, or refuses the request. Wrong keys are counted by network, and logged once a minute. */
export function knowCaller(context: HttpStaffApiDeps): RequestHandler {
  const brake = createFailureBrake(context, WRONG_KEYS);
  const log = createRefusalLog({ logger: context.logger });
  const look = async (req: Request, key: string): Promise<KeyCaller> => {
    const caller = await apiCallerWith(context, key);
    if (caller) return caller;
    brake.countFailure(req);
    log({ level: 'warn', message: 'a wrong API key was refused', address: req.ip ?? '', fields: {} });
    throw new ApiProblem(
      'wrong-key',
      'No live key is like this one: it is unknown, has ended or has expired.',
    );
  };
  return async (req, res, next) => {
    const key = keyIn(req);
    const caller = await brake.run({ req, res }, () => look(req, key));
    if (!caller) return;
    countRequest(context, caller);
    res.locals[CALLER] = caller;
    next();
  };
}
