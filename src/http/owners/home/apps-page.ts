import type { RequestHandler, Router } from 'express';
import type { OwnersDeps } from '../deps.ts';
import { tokensCounted } from '../../../domain/progress/progress-of.ts';
import { appsOfOwner, waitingUnder } from '../../../domain/tokens/tokens-of-account.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { formTargets } from '../../signin/leave.ts';
import { appLifecycleNow, nextBrownout, nextDate } from '../../wording/dates/card.ts';
import { connectedCards, forCards, ownCards } from './home-cards.ts';
import { peopleWords } from './home-needs.ts';
import { needsOf } from './needs-of.ts';
import { stateLines } from '../../wording/state-words.ts';
import { sortByUrgency, urgencyOf } from './urgency.ts';

/**
 * GET /apps, the first page of a signed-in person: what needs the person today, the apps that the person registered,
 * and the apps that act for the person's account.
 */

/** At most this many needs are shown at once. The rest comes up when these needs are met. */
const NEEDS_SHOWN = 12;

interface OwnApp {
  clientId: string;
  name: string;
}

/**
 * The person's own apps, the most urgent first, by the last count. In an app without a count, people may be waiting.
 */
async function ownInOrder(context: OwnersDeps, apps: readonly OwnApp[]): Promise<OwnApp[]> {
  const ids = apps.map(({ clientId }) => clientId);
  const counted = await tokensCounted(context, ids);
  return sortByUrgency(apps, ({ clientId, name }) =>
    urgencyOf(
      { name, waiting: counted.get(clientId)?.waitingPeople ?? 1 },
      appLifecycleNow(context, clientId),
    ),
  );
}

type OwnCards = Awaited<ReturnType<typeof ownCards>>;

/** The cards of the person's own apps, the most urgent first, by how many people wait now. */
function cardsInOrder(context: OwnersDeps, own: OwnCards): OwnCards {
  return sortByUrgency(own, ({ clientId, name, peopleWaiting: waiting }) =>
    urgencyOf({ name, waiting }, appLifecycleNow(context, clientId)),
  );
}

/** The person's own apps with people who have still to connect. */
function awaited(own: OwnCards) {
  return own
    .filter(({ peopleWaiting, footing }) => peopleWaiting > 0 && footing.phase !== 'ended')
    .map(({ clientId, name, peopleWaiting, isMorePeople, footing: { hasOldApi } }) => {
      const people = peopleWords(peopleWaiting, isMorePeople);
      return { clientId, name, people: hasOldApi ? people : `${people}, refused until then` };
    });
}

/**
 * The person's own apps that still make old calls although the old API has ended for them. The app with the most calls
 * comes first.
 */
function stillCalling(own: OwnCards): OwnCards {
  return own
    .filter(({ callsTotal, footing }) => callsTotal > 0 && footing.phase === 'ended')
    .toSorted((one, other) => other.callsTotal - one.callsTotal);
}

function showApps(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const { accountId, email } = signedInPerson(req);
    const [owned, { connected, needs }, waiting] = await Promise.all([
      appsOfOwner(context, accountId),
      needsOf(context, accountId),
      waitingUnder(context, email),
    ]);
    const [ownApps, tokens] = [forCards(await ownInOrder(context, owned)), forCards(connected)];
    const own = cardsInOrder(context, await ownCards(context, ownApps.cards, accountId));
    const cards = await connectedCards(context, tokens.cards, accountId);
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
      // Says only that tokens wait: the number stays hidden until the address is proven.
      isWaiting: waiting.tokens + waiting.apps > 0,
      formTargets: formTargets(context.server.authorizationUrl),
    });
  };
}

/** Adds the page of apps. */
export function appsRoutes(router: Router, frame: PageShell): void {
  router.get('/apps', frame.requirePerson, showApps(frame));
}
