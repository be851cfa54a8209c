import type { RequestHandler, Router } from 'express';
import { appsOfOwner, tokensOfAccount, waitingUnder } from '../../domain/tokens-of-account.ts';
import { formTargets } from '../signin/leave.ts';
import { signOut } from '../signin/session.ts';
import { type Frame, personIn } from './frame.ts';
import { stateLines } from './state-words.ts';

/** GET /apps: what the person registered, what uses the own account, and what waits under the own e-mail address. */

function showApps(frame: Frame): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const { accountId, email } = personIn(req);
    const [owned, connected, waiting] = await Promise.all([
      appsOfOwner(context, accountId),
      tokensOfAccount(context, accountId),
      waitingUnder(context, email),
    ]);
    frame.page(res, 'apps', {
      title: 'Your apps',
      owned,
      connected: connected.map((app) => ({ ...app, lines: stateLines(app.counts) })),
      // Not how much, as long as the address is not proven.
      isWaiting: waiting.tokens + waiting.apps > 0,
      formTargets: formTargets(context.server.authorizationUrl),
    });
  };
}

/** Mounts it, and the sign-out. */
export function appsRoutes(router: Router, frame: Frame): void {
  router.get('/apps', frame.requirePerson, showApps(frame));
  router.post('/sign-out', async (req, res) => {
    await signOut(req);
    res.redirect(303, '/');
  });
}
