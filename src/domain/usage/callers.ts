import { lastMoveTo, type AppTokenFilter } from '../../store/tokens/app-tokens.ts';
import type { Callers } from '../../store/usage/call-sums.ts';
import { callsWholeAfter } from '../../store/usage/known-calls.ts';
import { listMappingIds } from '../../store/tokens/mapping-ids.ts';
import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import type { UsageDeps } from './deps.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/** The callers whose calls a page lists: some tokens, or a whole app, whose calls are also stored as sums. */

export type CallsSubject = readonly string[] | { clientId: string };

/** How many tokens one statement names. SQLite holds up the process while a statement runs. */
const TOKENS_AT_ONCE = 500;

/** An app with more tokens than this is read from the sums that are stored for the app. */
const APP_TOKENS = 2000;

/** How many tokens of one account and app are read. A page has no time for more. */
const ACCOUNT_TOKENS = 10_000;

export interface CallsQuery {
  who: CallsSubject;
  /** Whether there may have been more calls in the last `days` than are known. The page then says "at least". */
  isPartial: (days: number) => boolean;
}

/** The callers in parts, one part for each statement. The process serves other work between two parts. */
export async function* inParts(asked: CallsSubject): AsyncGenerator<Callers> {
  if ('clientId' in asked) {
    yield asked;
    return;
  }
  for (let start = 0; start < asked.length; start += TOKENS_AT_ONCE) {
    yield { ids: asked.slice(start, start + TOKENS_AT_ONCE) };
    await yieldToEventLoop();
  }
}

/** The first of the last `days` up to today (UTC), `YYYY-MM-DD`. */
export const firstDayOf = ({ clock }: Pick<UsageDeps, 'clock'>, days: number) =>
  dayOf(clock.now() - (days - 1) * DAY);

type CallersDeps = Pick<UsageDeps, 'store' | 'clock'>;

/** Whether the last `days` begin before the moment from which all calls are known. An unknown moment counts as now. */
function partialUntil({ clock }: CallersDeps, wholeAfter: number): CallsQuery['isPartial'] {
  const last = dayOf(Math.min(wholeAfter, clock.now()));
  return (days) => wholeAfter > 0 && firstDayOf({ clock }, days) <= last;
}

/** Whether more calls of any token may have come in the last `days` than are known. */
export async function partialCallDays(context: CallersDeps): Promise<CallsQuery['isPartial']> {
  return partialUntil(context, (await callsWholeAfter(context.store)).tokens);
}

async function ofApp(context: CallersDeps, clientId: string): Promise<CallsQuery> {
  const { store } = context;
  const { apps } = await callsWholeAfter(store);
  // The calls of a token before its move to this app were counted for its earlier app.
  const wholeAfter = Math.max(apps, await lastMoveTo(store.durable, clientId));
  return { who: { clientId }, isPartial: partialUntil(context, wholeAfter) };
}

/** The callers of an app, or of one account of the app. Up to `most` tokens are read one by one. */
export async function callersOf(
  context: CallersDeps,
  of: AppTokenFilter,
  most = of.accountId === undefined ? APP_TOKENS : ACCOUNT_TOKENS,
): Promise<CallsQuery> {
  const ids = await listMappingIds(context.store.durable, of, { after: '', limit: most + 1 });
  if (ids.length <= most) return { who: ids, isPartial: await partialCallDays(context) };
  if (of.accountId === undefined) return ofApp(context, of.clientId);
  return { who: ids.slice(0, most), isPartial: () => true };
}
