import type { RequestHandler } from 'express';
import type { Context } from '../../domain/context.ts';
import { deauthorize as endPair } from '../../domain/deauthorize.ts';
import { tellOldBackend } from '../../domain/old-backend-ends.ts';
import { requestIdOf } from '../request-id.ts';
import type { createCalls } from './call.ts';
import { sendJson } from './legacy-error.ts';

/** POST and GET on the old deauthorize addresses: ends this app for this account; body as recorded (legacy-api 1.4). */
export function deauthorize(context: Context, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (caller, _req, res) => {
    const { client_id: clientId, account_id: accountId } = caller.mapping;
    const origin = { actor: `app:${clientId}`, requestId: requestIdOf(res) };
    const ending = { ...origin, reason: 'the app asked for it' };
    await endPair(context, { clientId, accountId }, ending);
    tellOldBackend(context, caller, origin);
    sendJson(res, 200, { success: true, message: 'Access successfully revoked!' });
  });
}
