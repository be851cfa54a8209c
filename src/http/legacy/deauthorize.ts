import type { RequestHandler, Response } from 'express';
import type { LegacyDeps } from './deps.ts';
import { endServed, tellOldBackend } from '../../domain/old-api/old-backend-ends.ts';
import { endStopped } from '../../domain/tokens/end-stopped.ts';
import { actorOf } from '../../domain/tokens/proven-app.ts';
import type { ResolvedToken } from '../../domain/tokens/resolve-token.ts';
import { callingOf } from '../request-trace.ts';
import type { createCalls } from './call.ts';
import { sendJson } from '../wire/legacy-error.ts';

const originOf = (mapping: NonNullable<ResolvedToken['mapping']>, res: Response) => ({
  actor: actorOf(mapping),
  ...callingOf(res),
});

/**
 * POST and GET on the old deauthorize addresses: ends this app for this account. The body is as recorded
 * (docs/old-api.md Q14).
 */
export function deauthorizeEndpoint(
  context: LegacyDeps,
  call: ReturnType<typeof createCalls>,
): RequestHandler {
  return call(
    async (caller, _req, res) => {
      const origin = originOf(caller.mapping, res);
      await endServed(context, caller.mapping, origin);
      tellOldBackend(context, caller, origin);
      sendJson(res, 200, { success: true, message: 'Access successfully revoked!' });
    },
    // The old API is not told: it would end all tokens of this app and account. A refused token speaks for itself
    // alone.
    (mapping, res) => endStopped(context, mapping, originOf(mapping, res)),
  );
}
