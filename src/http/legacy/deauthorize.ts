import type { RequestHandler } from 'express';
import type { Context } from '../../domain/context.ts';
import { endServed, tellOldBackend } from '../../domain/old-backend-ends.ts';
import { actorOf } from '../../domain/tokens/proven-app.ts';
import { requestIdOf } from '../request-id.ts';
import type { createCalls } from './call.ts';
import { sendJson } from './legacy-error.ts';

/** POST and GET on the old deauthorize addresses: ends this app for this account; body as recorded (legacy-api 1.4). */
export function deauthorize(context: Context, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (caller, _req, res) => {
    const origin = { actor: actorOf(caller.mapping), requestId: requestIdOf(res) };
    await endServed(context, caller.mapping, origin);
    tellOldBackend(context, caller, origin);
    sendJson(res, 200, { success: true, message: 'Access successfully revoked!' });
  });
}
