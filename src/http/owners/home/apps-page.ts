import type { RequestHandler, Router } from 'express';
import { appsSharedWith } from '../../../domain/apps/app-access.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { formTargets } from '../../signin/leave.ts';
import { leadToFind } from '../../tables/find-form.ts';
import { readTable } from '../../tables/table-query.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { appLifecycleNow, nextBrownout, nextDate } from '../../wording/dates/card.ts';
import { CONNECTED_TABLE, OWN_TABLE } from './app-list.ts';
import { connectedList, ownList } from './home-apps.ts';
import { peopleWords } from './home-needs.ts';
import { needsOf } from './needs-of.ts';
import { isUnproven } from './unproven.ts';

/**
 * GET /apps, the first page of a signed-in person: what needs the person today, the apps that the person registered,
 * the apps that others
 * share with the person, and the apps that act for the person's account.
 */

/** At most this many needs are shown at once. The rest comes up when these needs are met. */
const NEEDS_SHOWN = 12;

const SHARED_MARKS = { read: 'you may see it', manage: 'you may manage it' } as const;

type OwnList = Awaited<ReturnType<typeof ownList>>;
type OwnCards = OwnList['cards'];

/** The person's own apps with people who have still to connect. A table lists these apps itself. */
function awaited({ cards, table }: OwnList) {
  if (table) return [];
  return cards
    .filter(({ peopleWaiting, footing }) => peopleWaiting > 0 && footing.phase !== 'ended')
    .map(({ clientId, name, peopleWaiting, isMorePeople, footing: { hasOldApi } }) => {
      const people = peopleWords(peopleWaiting, isMorePeople);
      return { clientId, name, people: hasOldApi ? people : `${people}, refused until then` };
    });
}

/**
 * The person's own apps that still make old calls although the old API has ended for them. The app with the most calls
 * comes first. Where the apps stand in a table, only those of the page are looked at.
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
    const [ownQuery, useQuery] = [readTable(req, OWN_TABLE), readTable(req, CONNECTED_TABLE)];
    const [own, { connected, needs }, isWaiting, shared] = await Promise.all([
      ownList(context, accountId, ownQuery),
      needsOf(context, accountId),
      isUnproven(context, { accountId, email }),
      appsSharedWith(context, { accountId, email }),
    ]);
    const used = await connectedList(context, { accountId, apps: connected }, useQuery);
    frame.page(res, 'apps', {
      title: 'Your apps',
      wide: own.table !== undefined || used.table !== undefined,
      next: nextDate(context),
      // For apps that were given more time people may still connect: the page is silent, and promises nothing.
      isOver: oldApiStatusOf(appLifecycleNow(context)).phase === 'ended',
      brownout: nextBrownout(context, [...own.ids, ...connected.map(({ clientId }) => clientId)]),
      needs: needs.slice(0, NEEDS_SHOWN),
      awaited: awaited(own),
      stillCalling: stillCalling(own.cards),
      moreNeeds: Math.max(0, needs.length - NEEDS_SHOWN),
      own: own.cards,
      ownList: own,
      connected: used.cards,
      connectedTable: used.table,
      shared: shared.map((app) => ({ ...app, mark: SHARED_MARKS[app.access] })),
      // Says only that tokens wait: the number stays hidden until the address is proven.
      isWaiting,
      formTargets: formTargets(context.server.authorizationUrl),
    });
  };
}

/** Adds the page of apps. */
export function appsRoutes(router: Router, frame: PageShell): void {
  router.get('/apps', frame.requirePerson, showApps(frame));
  router.post('/apps', leadToFind);
}
