import { chunksOf } from '../../shared/chunks-of.ts';
import { type AppTokenFilter, lastMoveTo } from '../../store/tokens/app-tokens.ts';
import { lastImport, lastImportAmong, lastImportOf } from '../../store/tokens/imports.ts';
import type { Callers } from '../../store/usage/call-sums.ts';
import { callsWholeAfter } from '../../store/usage/known-calls.ts';
import { listMappingIds } from '../../store/tokens/mapping-ids.ts';
import type { UsageDeps } from './deps.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { type CountedDays, countedDays, unknownDays } from './counted-days.ts';

/** The callers whose calls a page lists: some tokens, or a whole app, whose calls are also stored as sums. */

export type CallsSubject = readonly string[] | { clientId: string };

/** How many tokens one statement names. SQLite holds up the process while a statement runs. */
export const TOKENS_AT_ONCE = 500;

/** An app with more tokens than this is read from the sums that are stored for the app. */
const APP_TOKENS = 2000;

/** How many tokens of one account and app are read. A page has no time for more. */
const ACCOUNT_TOKENS = 10_000;

export interface CallsQuery {
  who: CallsSubject;
  /** What is known of their calls in the last `days`. */
  within: (days: number) => CountedDays;
}

/** The callers in parts, one part for each statement. The process serves other work between two parts. */
export async function* inParts(asked: CallsSubject): AsyncGenerator<Callers> {
  if ('clientId' in asked) {
    yield asked;
    return;
  }
  for (const ids of chunksOf(asked, TOKENS_AT_ONCE)) {
    yield { ids };
    await yieldToEventLoop();
  }
}

export type CallersDeps = Pick<UsageDeps, 'store' | 'clock'>;

/** What is known of the last days where the calls are whole after a moment. */
export const knownAfter =
  ({ clock }: CallersDeps, wholeAfter: number): CallsQuery['within'] =>
  (days) =>
    countedDays(days, { wholeAfter, now: clock.now() });

/** What the bridge has counted of all calls in the last `days`, whatever the tokens. */
export async function countedCallDays(context: CallersDeps): Promise<CallsQuery['within']> {
  return knownAfter(context, (await callsWholeAfter(context.store)).tokens);
}

/** When the last of these callers became known by an import, 0 where none was imported. */
async function importedAt({ store }: CallersDeps, who: CallsSubject | 'all'): Promise<number> {
  const { durable } = store;
  if (who === 'all') return lastImport(durable);
  if ('clientId' in who) return lastImportOf(durable, who.clientId);
  let last = 0;
  for (const ids of chunksOf(who, TOKENS_AT_ONCE)) {
    last = Math.max(last, await lastImportAmong(durable, ids));
    await yieldToEventLoop();
  }
  return last;
}

/**
 * What is known of the calls of some tokens, of the tokens of an app, or of all tokens, in the last `days`. Nothing is
 * known of an imported token before its import, however long the bridge has counted.
 */
export async function knownCallDays(
  context: CallersDeps,
  who: CallsSubject | 'all',
): Promise<CallsQuery['within']> {
  const { tokens } = await callsWholeAfter(context.store);
  return knownAfter(context, Math.max(tokens, await importedAt(context, who)));
}

/** The calls of an app. Those of a token before its move to this app were counted for its earlier app. */
async function ofApp(context: CallersDeps, clientId: string): Promise<CallsQuery> {
  const { durable } = context.store;
  const { apps } = await callsWholeAfter(context.store);
  const moments = await Promise.all([lastMoveTo(durable, clientId), lastImportOf(durable, clientId)]);
  return { who: { clientId }, within: knownAfter(context, Math.max(apps, ...moments)) };
}

/** The calls of the tokens of an app, or of one account. An imported app may have had tokens that are not known here. */
async function ofTokens(
  context: CallersDeps,
  { clientId, accountId }: AppTokenFilter,
  ids: readonly string[],
): Promise<CallsQuery> {
  const { tokens } = await callsWholeAfter(context.store);
  const imported = accountId === undefined ? await importedAt(context, { clientId }) : 0;
  return {
    who: ids,
    within: knownAfter(context, Math.max(tokens, imported, await importedAt(context, ids))),
  };
}

/** The callers of an app, or of one account of the app. Up to `most` tokens are read one by one. */
export async function callersOf(
  context: CallersDeps,
  of: AppTokenFilter,
  most = of.accountId === undefined ? APP_TOKENS : ACCOUNT_TOKENS,
): Promise<CallsQuery> {
  const ids = await listMappingIds(context.store.durable, of, { after: '', limit: most + 1 });
  if (ids.length <= most) return ofTokens(context, of, ids);
  if (of.accountId === undefined) return ofApp(context, of.clientId);
  return { who: ids.slice(0, most), within: unknownDays };
}
