import type { RequestHandler, Router } from 'express';
import { appsOfOwner, tokensOfAccount, waitingUnder } from '../../domain/tokens-of-account.ts';
import { formTargets } from '../signin/leave.ts';
import { signOut } from '../signin/session.ts';
import { asOfNow, nextDate } from './date-card.ts';
import { type DateLine, phaseOf } from './date-lines.ts';
import { type Frame, personIn } from '../people/frame.ts';
import { stateLines } from './state-words.ts';

/** GET /apps: what the person registered, what uses the own account, and what waits under the own e-mail address. */

/** The date that counts for an app, where it is another than that of all. */
function ownDate({ context }: Frame, clientId: string, common: DateLine | undefined): DateLine | undefined {
  const next = nextDate(context, clientId);
  return next?.at === common?.at ? undefined : next;
}

function showApps(frame: Frame): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const { accountId, email } = personIn(req);
    const [owned, connected, waiting] = await Promise.all([
      appsOfOwner(context, accountId),
      tokensOfAccount(context, accountId),
      waitingUnder(context, email),
    ]);
    const next = nextDate(context);
    frame.page(res, 'apps', {
      title: 'Your apps',
      next,
      owned: owned.map((app) => ({ ...app, next: ownDate(frame, app.clientId, next) })),
      connected: connected.map((app) => {
        const phase = phaseOf(asOfNow(context, app.clientId));
        const lines = stateLines(app.counts, phase);
        return { ...app, lines, next: ownDate(frame, app.clientId, next), hasEnded: phase === 'ended' };
      }),
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
