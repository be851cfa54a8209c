import type { OwnersDeps } from '../deps.ts';
import { lastCountAt } from '../../../domain/progress/last-count.ts';
import { tokensCounted } from '../../../domain/progress/progress-of.ts';
import {
  type AppTokens,
  appsOfOwner,
  appsWithWaitingTokens,
} from '../../../domain/tokens/tokens-of-account.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { stateLines } from '../../wording/state-words.ts';
import type { TableQuery } from '../../tables/table-query.ts';
import { appListPage, appTableView, CONNECTED_TABLE, OWN_TABLE } from './app-list.ts';
import { connectedCards, ownCards, ownRows } from './home-cards.ts';
import { sortByUrgency, urgencyOf } from './urgency.ts';

/** The two lists of apps on the first page of a person: the own apps, and the apps that use the own account. */

type AppQuery = TableQuery<'all' | 'waiting' | 'done', 'urgent' | 'name'>;

/**
 * The person's own apps, the most urgent first, by the last count. For an app without a count it is looked whether any
 * token waits now; how many people that is, is not known.
 */
async function ownInOrder(context: OwnersDeps, accountId: string) {
  const owned = await appsOfOwner(context, accountId);
  const counted = await tokensCounted(
    context,
    owned.map(({ clientId }) => clientId),
  );
  const uncounted = owned.map(({ clientId }) => clientId).filter((id) => !counted.has(id));
  const waitingNow = await appsWithWaitingTokens(context, uncounted);
  const waitingIn = (id: string) => counted.get(id)?.waitingPeople ?? Number(waitingNow.has(id));
  const apps = owned.map((app) => ({
    ...app,
    isWaiting: waitingIn(app.clientId) > 0,
    people: counted.get(app.clientId)?.waitingPeople,
  }));
  return sortByUrgency(apps, ({ clientId, name }) =>
    urgencyOf({ name, waiting: waitingIn(clientId) }, appLifecycleNow(context, clientId)),
  );
}

const isOver = (context: OwnersDeps, clientId: string) =>
  oldApiStatusOf(appLifecycleNow(context, clientId)).phase === 'ended';

/** Of a table of apps so many are named above it. */
const URGENT_MAX = 6;

type OwnCards = Awaited<ReturnType<typeof ownCards>>;

/** The cards of the person's own apps, the most urgent first, by how many people wait now. */
function cardsInOrder(context: OwnersDeps, own: OwnCards): OwnCards {
  return sortByUrgency(own, ({ clientId, name, peopleWaiting: waiting }) =>
    urgencyOf({ name, waiting }, appLifecycleNow(context, clientId)),
  );
}

/** The own apps: all with cards, or one page of a table. */
export async function ownList(context: OwnersDeps, accountId: string, query: AppQuery) {
  const apps = await ownInOrder(context, accountId);
  const list = appListPage(apps, query);
  const waiting = apps.filter((app) => app.isWaiting && !isOver(context, app.clientId));
  const cards = list.isTable
    ? await ownRows(context, list.shown)
    : await ownCards(context, list.shown, accountId);
  return {
    cards: list.isTable ? cards : cardsInOrder(context, cards),
    table: appTableView(OWN_TABLE, query, list),
    ids: apps.map(({ clientId }) => clientId),
    waiting: waiting.length,
    urgent: waiting.slice(0, URGENT_MAX),
    countedAt: list.isTable ? await lastCountAt(context) : undefined,
  };
}

/** The apps that use the own account: all with cards, or one page of a table. */
export async function connectedList(
  context: OwnersDeps,
  { accountId, apps }: { accountId: string; apps: readonly AppTokens[] },
  query: AppQuery,
) {
  const list = appListPage(
    apps.map((app) => ({ ...app, isWaiting: app.waiting > 0 })),
    query,
  );
  const cards = await connectedCards(context, list.shown, accountId);
  return {
    cards: cards.map((app) => ({ ...app, lines: stateLines(app.counts, app.footing, app.unknownThere) })),
    table: appTableView(CONNECTED_TABLE, query, list),
  };
}
