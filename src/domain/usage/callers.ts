import { lastMoveTo, type TokensOf } from '../../store/tokens/app-tokens.ts';
import type { Callers } from '../../store/usage/call-sums.ts';
import { callsWholeAfter } from '../../store/usage/known-calls.ts';
import { listMappingIds } from '../../store/tokens/mapping-ids.ts';
import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import type { Context } from '../context.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/** Whose calls a page tells: those of some tokens, or those of an app, which are kept added up. */

export type CallsAsked = readonly string[] | { clientId: string };

/** Tokens of one statement; SQLite does nothing else meanwhile. */
const TOKENS_AT_ONCE = 500;

/** The calls of an app of more tokens than this are those that were kept for the app. */
const APP_TOKENS = 2000;

/** So many tokens of one account and app are looked at; a page that is opened has no time for more. */
const ACCOUNT_TOKENS = 10_000;

export interface Asked {
  who: CallsAsked;
  /** Whether there may have been more calls in the last `days` than are known: what is told is told as at least. */
  isPartial: (days: number) => boolean;
}

/** The callers of one statement after the other; others are served between them. */
export async function* inParts(asked: CallsAsked): AsyncGenerator<Callers> {
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
export const firstDayOf = ({ clock }: Pick<Context, 'clock'>, days: number) =>
  dayOf(clock.now() - (days - 1) * DAY);

type Known = Pick<Context, 'store' | 'clock'>;

/** Whether the last `days` begin before calls were known as a whole; a moment that nobody knows may be this one. */
function partialUntil({ clock }: Known, wholeAfter: number): Asked['isPartial'] {
  const last = dayOf(Math.min(wholeAfter, clock.now()));
  return (days) => wholeAfter > 0 && firstDayOf({ clock }, days) <= last;
}

/** Whether there may have been more calls of any token in the last `days` than are known. */
export async function lostCalls(context: Known): Promise<Asked['isPartial']> {
  return partialUntil(context, (await callsWholeAfter(context.store)).tokens);
}

async function ofApp(context: Known, clientId: string): Promise<Asked> {
  const { store } = context;
  const { apps } = await callsWholeAfter(store);
  // What a token called before it came to the app was counted for the app that it stood with.
  const wholeAfter = Math.max(apps, await lastMoveTo(store.durable, clientId));
  return { who: { clientId }, isPartial: partialUntil(context, wholeAfter) };
}

/** Whose calls are those of an app, or of one account of it; `most` tokens are asked for one by one. */
export async function callersOf(
  context: Known,
  of: TokensOf,
  most = of.accountId === undefined ? APP_TOKENS : ACCOUNT_TOKENS,
): Promise<Asked> {
  const ids = await listMappingIds(context.store.durable, of, { after: '', limit: most + 1 });
  if (ids.length <= most) return { who: ids, isPartial: await lostCalls(context) };
  if (of.accountId === undefined) return ofApp(context, of.clientId);
  return { who: ids.slice(0, most), isPartial: () => true };
}
