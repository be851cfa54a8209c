import type { RequestHandler, Router } from 'express';
import type { Context } from '../../domain/context.ts';
import {
  type AppTokens,
  appsOfOwner,
  stoppedApps,
  tokensOfAccount,
  waitingUnder,
} from '../../domain/tokens-of-account.ts';
import { type Frame, personIn } from '../people/frame.ts';
import { formTargets } from '../signin/leave.ts';
import { signOut } from '../signin/session.ts';
import { asOfNow, nextBrownout, nextDate } from '../dates/card.ts';
import { phaseOf } from '../dates/lines.ts';
import { connectedCards, forCards, ownCards } from './home-cards.ts';
import { appNeed, type Need, peopleWords } from './home-needs.ts';
import { stateLines } from '../tokens/state-words.ts';

/**
 * GET /apps, the first page of a signed-in person: what needs something of them today, the apps they registered, and those
 * that act for their account.
 */

/** So many are said at once; the others come up when these are done. */
const NEEDS_SHOWN = 12;

/** The apps of which something of the person waits, those that have stopped first. */
async function ownNeeds(
  context: Context,
  connected: readonly AppTokens[],
  accountId: string,
): Promise<Need[]> {
  const open = connected.filter(
    ({ clientId, waiting }) => waiting > 0 && phaseOf(asOfNow(context, clientId)) !== 'ended',
  );
  if (open.length === 0) return [];
  const stopped = await stoppedApps(context, accountId);
  return open
    .map((app) => appNeed(app, { stopped: stopped.get(app.clientId), asOf: asOfNow(context, app.clientId) }))
    .toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0));
}

/** The own apps that wait for people. */
function awaited(own: Awaited<ReturnType<typeof ownCards>>) {
  return own
    .filter(({ peopleWaiting, footing }) => peopleWaiting > 0 && footing.phase !== 'ended')
    .map(({ clientId, name, peopleWaiting, isMorePeople, footing: { hasOldApi } }) => {
      const people = peopleWords(peopleWaiting, isMorePeople);
      return { clientId, name, people: hasOldApi ? people : `${people}, refused until then` };
    });
}

/** The own apps whose old calls are in vain: the old API has ended for them, and they called it lately. */
function stillCalling(own: Awaited<ReturnType<typeof ownCards>>) {
  return own.filter(({ hasCalled, footing }) => hasCalled && footing.phase === 'ended');
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
    const [ownApps, tokens] = [forCards(owned), forCards(connected)];
    const own = await ownCards(context, ownApps.cards, accountId);
    const cards = await connectedCards(context, tokens.cards, accountId);
    const needs = await ownNeeds(context, connected, accountId);
    frame.page(res, 'apps', {
      title: 'Your apps',
      next: nextDate(context),
      brownout: nextBrownout(
        context,
        [...own, ...cards].map(({ clientId }) => clientId),
      ),
      needs: needs.slice(0, NEEDS_SHOWN),
      awaited: awaited(own),
      stillCalling: stillCalling(own),
      moreNeeds: Math.max(0, needs.length - NEEDS_SHOWN),
      own,
      ownOthers: ownApps.others,
      connected: cards.map((app) => ({ ...app, lines: stateLines(app.counts, app.footing) })),
      connectedOthers: tokens.others,
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
