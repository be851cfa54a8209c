import { chunksOf } from '../../shared/chunks-of.ts';
import { sumDaysByApp } from '../../store/usage/call-sums.ts';
import { callsWholeAfter } from '../../store/usage/known-calls.ts';
import { lastImportsByApp } from '../../store/tokens/imports.ts';
import { listIdsAtApps, type TokenOfApp } from '../../store/tokens/mapping-ids.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { type CallersDeps, knownAfter, TOKENS_AT_ONCE } from './callers.ts';
import { type CountedDays, firstDayOf, unknownDays } from './counted-days.ts';

/** The calls of one account's tokens at many apps. All apps are read together: a person may use hundreds of them. */

/** The calls of several apps. */
export interface CallsByApp {
  /** The calls of one of the apps, by day. */
  callsOf: (clientId: string) => ReadonlyArray<{ day: string; calls: number }>;
  /** What is known of these calls. */
  within: (clientId: string) => CountedDays;
}

interface AccountAtApps {
  accountId: string;
  clientIds: readonly string[];
}

/** The tokens that are read, and the first app of which not all are; the apps after it may have any number. */
async function tokensWithin({ store }: CallersDeps, of: AccountAtApps, most: number) {
  const found = await listIdsAtApps(store.durable, of, most + 1);
  const cutAt = found[most]?.client_id;
  const from = cutAt === undefined ? of.clientIds.length : of.clientIds.indexOf(cutAt);
  return { tokens: found.slice(0, most), cut: new Set(of.clientIds.slice(from)) };
}

/** Reads the calls and the imports of some tokens. The process serves other work between two parts. */
async function readInParts({ store }: CallersDeps, tokens: readonly TokenOfApp[], sinceDay: string) {
  const calls = new Map<string, Array<{ day: string; calls: number }>>();
  const importedAt = new Map<string, number>();
  for (const part of chunksOf(tokens, TOKENS_AT_ONCE)) {
    for (const { client_id: id, ...day } of await sumDaysByApp(store, part, sinceDay))
      calls.set(id, [...(calls.get(id) ?? []), day]);
    for (const { client_id: id, at } of await lastImportsByApp(store.durable, part))
      importedAt.set(id, Math.max(importedAt.get(id) ?? 0, at));
    await yieldToEventLoop();
  }
  return { calls, importedAt };
}

/** The calls of an account's tokens in the last `days` at each of these apps; at most so many tokens are read. */
export async function callsByAppOf(
  context: CallersDeps,
  of: AccountAtApps,
  { days, most }: { days: number; most: number },
): Promise<CallsByApp> {
  const { tokens: wholeAfter } = await callsWholeAfter(context.store);
  const { tokens, cut } = await tokensWithin(context, of, most);
  const { calls, importedAt } = await readInParts(context, tokens, firstDayOf(context.clock.now(), days));
  return {
    callsOf: (clientId) => calls.get(clientId) ?? [],
    within: (clientId) =>
      cut.has(clientId)
        ? unknownDays(days)
        : knownAfter(context, Math.max(wholeAfter, importedAt.get(clientId) ?? 0))(days),
  };
}
