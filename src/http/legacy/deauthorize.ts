import type { RequestHandler } from 'express';
import type { Context } from '../../domain/context.ts';
import { deauthorize as endPair } from '../../domain/deauthorize.ts';
import { requestIdOf } from '../request-id.ts';
import type { createCalls } from './call.ts';
import { sendJson } from './legacy-error.ts';

/** POST and GET on the old deauthorize addresses: ends this app for this account; body as recorded (legacy-api 1.4). */
export function deauthorize(context: Context, call: ReturnType<typeof createCalls>): RequestHandler {
  return call(async (mapping, _req, res) => {
    const pair = { clientId: mapping.client_id, accountId: mapping.account_id };
    await endPair(context, pair, { actor: `app:${mapping.client_id}`, requestId: requestIdOf(res) });
    sendJson(res, 200, { success: true, message: 'Access successfully revoked!' });
  });
}
