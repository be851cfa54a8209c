import type { Context } from '../../domain/context.ts';
import { type CallsLately, callsLately } from '../../domain/progress/calls-lately.ts';
import { type OwnedTokens, tokensForOwner } from '../../domain/tokens-of-account.ts';
import { sparkline } from '../charts/charts.ts';
import { numberWords } from '../people/words.ts';
import { leftWords } from '../dates/words.ts';
import { asOfNow, nextDate } from '../dates/card.ts';
import { phaseOf } from '../dates/lines.ts';
import { stateLines } from './state-words.ts';

/** The cards of apps on the first page: their states, the days that are left, and their calls. */

const DAYS = 30;

/** So many apps have a card; the others are listed by name, so that the page stays quick. */
const CARDS = 24;

interface App {
  clientId: string;
  name: string;
}

/** Parts a list into what has a card and what is listed by name. */
export function forCards<A extends App>(apps: readonly A[]): { cards: A[]; others: A[] } {
  return { cards: apps.slice(0, CARDS), others: apps.slice(CARDS) };
}

interface CallsCard {
  words: string;
  /** '' where there was no call. */
  chart: string;
}

function callsCard({ values, total, isPartial }: CallsLately): CallsCard {
  const atLeast = isPartial ? 'more than ' : '';
  if (total === 0)
    return {
      words: isPartial ? 'Its calls are on its page' : `No call in the last ${DAYS} days`,
      chart: '',
    };
  const words = `${atLeast}${numberWords(total)} ${total === 1 && !isPartial ? 'call' : 'calls'} in the last ${DAYS} days`;
  return { words, chart: sparkline({ label: `Calls of each of the last ${DAYS} days`, values }) };
}

/** The next date where it is another than that of all, which the page says once; else only how long it is until then. */
function dateOf(context: Context, clientId: string) {
  const [next, common] = [nextDate(context, clientId), nextDate(context)];
  if (next?.at !== common?.at) return { ownDate: next };
  const left = next && { ...next, words: leftWords(next.at, context.clock.now()) };
  return { left: left?.words ? left : undefined };
}

/** What every card says of an app, whoever looks. */
function cardOf(context: Context, { clientId, calls }: { clientId: string; calls: CallsLately | undefined }) {
  return {
    ...dateOf(context, clientId),
    phase: phaseOf(asOfNow(context, clientId)),
    calls: calls && callsCard(calls),
  };
}

/** The cards of apps whose tokens act for an account. */
export async function connectedCards<A extends App>(context: Context, apps: readonly A[], accountId: string) {
  const asked = apps.map(({ clientId }) => ({ clientId, accountId }));
  const calls = await callsLately(context, asked, { days: DAYS });
  return apps.map((app, index) => ({
    ...app,
    ...cardOf(context, { clientId: app.clientId, calls: calls[index] }),
  }));
}

/** The cards of the apps that an account registered. */
export async function ownCards(context: Context, apps: readonly App[], ownerAccountId: string) {
  const calls = await callsLately(context, apps, { days: DAYS });
  return Promise.all(
    apps.map(async (app, index) => {
      const { clientId } = app;
      const tokens: OwnedTokens = await tokensForOwner(context, { clientId, ownerAccountId });
      const card = cardOf(context, { clientId, calls: calls[index] });
      const lines = stateLines(tokens.counts, card.phase).map(({ tokens: of, label, kind }) => ({
        text: `${of} ${label}`,
        kind,
      }));
      return { ...app, ...card, ...tokens, lines };
    }),
  );
}
