import type { OwnersDeps } from '../deps.ts';
import {
  accountCallsLately,
  type CallsLately,
  callsLately,
  callsOfAppsLately,
} from '../../../domain/progress/calls-lately.ts';
import { noneWords, type TimedWords } from '../../../domain/usage/counted-days.ts';
import {
  type AppTokens,
  type OwnedTokens,
  tokensForOwner,
} from '../../../domain/tokens/tokens-of-account.ts';
import { statesOfApps } from '../../../domain/tokens/states-of-app.ts';
import { sparkline } from '../../charts/charts.ts';
import { formatNumber } from '../../wording/words.ts';
import { daysToDate } from '../../wording/days-left.ts';
import { appLifecycleNow, nextDate } from '../../wording/dates/card.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { stateLines } from '../../wording/state-words.ts';

/** The cards of apps on the first page: the states of tokens, the days that are left, and the calls. */

const DAYS = 30;

interface App {
  clientId: string;
  name: string;
}

/** An own app. A table shows how many people wait as they were counted last: to count them takes too long for many apps. */
interface OwnApp extends App {
  /** Undefined where they were not counted yet. */
  people?: number | undefined;
}

interface CallsCard {
  words: string | TimedWords;
  /** '' where no call came. */
  chart: string;
}

function callsCard({ values, total, counted: known }: CallsLately): CallsCard {
  const atLeast = known.isPartial ? 'at least ' : '';
  const isUnknown = known.isPartial && known.since === undefined;
  if (total === 0)
    return {
      words: isUnknown ? 'Its calls are on its page' : noneWords('No call', known),
      chart: '',
    };
  const words = `${atLeast}${formatNumber(total)} ${total === 1 ? 'call' : 'calls'} in the last ${DAYS} days`;
  return { words, chart: sparkline({ label: `Calls of each of the last ${DAYS} days`, values }) };
}

/** The calls as a cell of a table. */
function callsNumber({ total, counted: { isPartial } }: CallsLately): string {
  if (!isPartial) return formatNumber(total);
  return total === 0 ? 'not known' : `at least ${formatNumber(total)}`;
}

type Counts = AppTokens['counts'];

/** Whether every token of the app has moved or ended. Then no date concerns the app any more. */
function isOver({ unmapped = 0, active = 0, reauthorization_required: stopped = 0, ...final }: Counts) {
  const { migrated = 0, revoked = 0 } = final;
  return unmapped + active + stopped === 0 && migrated + revoked > 0;
}

/** Says that an app has moved. Its programs may still call with old tokens. */
function movedWords(counts: Counts, calls: CallsLately | undefined): string | undefined {
  if (!isOver(counts) || (counts.migrated ?? 0) === 0) return undefined;
  if (calls?.counted.isPartial && calls.total === 0) return 'Its tokens have moved to the new API.';
  return (calls?.total ?? 0) > 0
    ? `Its tokens have moved to the new API, but in the last ${DAYS} days it called the old one.`
    : 'The app has moved to the new API.';
}

/**
 * The next date of the app where it differs from the date for all apps, which the page shows once. Otherwise only the
 * time that is left.
 */
function dateOf(context: OwnersDeps, clientId: string) {
  const [next, common] = [nextDate(context, clientId), nextDate(context)];
  // A date that changes no call needs no countdown.
  if (!next?.changesCalls) return {};
  if (next.at !== common?.at) return { ownDate: next };
  const days = daysToDate(next.at, context.clock.now(), 'left');
  return { left: days && { ...next, days } };
}

/** The part of a card that every reader sees. */
function cardOf(
  context: OwnersDeps,
  { clientId, counts, calls }: { clientId: string; counts: Counts; calls: CallsLately | undefined },
) {
  return {
    ...(isOver(counts) ? {} : dateOf(context, clientId)),
    footing: oldApiStatusOf(appLifecycleNow(context, clientId)),
    calls: calls && callsCard(calls),
    callsWords: calls && callsNumber(calls),
    callsTotal: calls?.total ?? 0,
  };
}

/** The cards of apps whose tokens act for an account. */
export async function connectedCards<A extends App & Pick<AppTokens, 'counts'>>(
  context: OwnersDeps,
  apps: readonly A[],
  accountId: string,
) {
  const clientIds = apps.map(({ clientId }) => clientId);
  const calls = await accountCallsLately(context, { accountId, clientIds }, { days: DAYS });
  return apps.map((app, index) => ({
    ...app,
    ...cardOf(context, { ...app, calls: calls[index] }),
  }));
}

interface OwnCardParts {
  tokens: OwnedTokens;
  calls: CallsLately | undefined;
}

function ownCard<A extends App>(context: OwnersDeps, app: A, { tokens, calls }: OwnCardParts) {
  const { counts } = tokens;
  const card = cardOf(context, { clientId: app.clientId, counts, calls });
  const lines = stateLines(counts, card.footing).map(({ tokens: of, label, kind }) => ({
    text: `${of} ${label}`,
    kind,
  }));
  return { ...app, ...card, ...tokens, lines, movedWords: movedWords(counts, calls) };
}

/** The cards of the few apps that an account registered. */
export async function ownCards(context: OwnersDeps, apps: readonly OwnApp[], ownerAccountId: string) {
  const calls = await callsLately(context, apps, { days: DAYS });
  const tokens = await Promise.all(
    apps.map(({ clientId }) => tokensForOwner(context, { clientId, besides: ownerAccountId })),
  );
  return apps.map((app, index) =>
    ownCard(context, app, { tokens: tokens[index] ?? NO_TOKENS, calls: calls[index] }),
  );
}

const NO_TOKENS: OwnedTokens = { counts: {}, peopleWaiting: 0, isMorePeople: false };

/** The rows of one page of a table of own apps. As in the last count, the owner is one of the people who wait. */
export async function ownRows(context: OwnersDeps, apps: readonly OwnApp[]) {
  const [calls, states] = await Promise.all([
    callsOfAppsLately(context, apps, { days: DAYS }),
    statesOfApps(
      context,
      apps.map(({ clientId }) => clientId),
    ),
  ]);
  const tokensOf = ({ clientId, people }: OwnApp): Promise<OwnedTokens> | OwnedTokens =>
    people === undefined
      ? tokensForOwner(context, { clientId })
      : { counts: states.get(clientId) ?? {}, peopleWaiting: people, isMorePeople: false };
  return Promise.all(
    apps.map(async (app, index) =>
      ownCard(context, app, { tokens: await tokensOf(app), calls: calls[index] }),
    ),
  );
}
