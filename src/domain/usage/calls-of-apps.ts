import { sumDaysOfApps } from '../../store/usage/call-sums.ts';
import { callsWholeAfter } from '../../store/usage/known-calls.ts';
import { momentsOfApps } from '../../store/tokens/app-moments.ts';
import type { CallsByApp } from './account-calls.ts';
import { type CallersDeps, knownAfter } from './callers.ts';
import { firstDayOf } from './counted-days.ts';

/** The calls of many apps at once, as they are kept for whole apps: a long list has no time for those of each token. */

/** The calls of these apps in the last `days`. An app without a token has none: earlier ones left with its tokens. */
export async function callsOfApps(
  context: CallersDeps,
  clientIds: readonly string[],
  { days }: { days: number },
): Promise<CallsByApp> {
  const { store, clock } = context;
  const [whole, moments, sums] = await Promise.all([
    callsWholeAfter(store),
    momentsOfApps(store.durable, clientIds),
    sumDaysOfApps(store, clientIds, firstDayOf(clock.now(), days)),
  ]);
  const byId = new Map(moments.map((one) => [one.client_id, one]));
  const calls = new Map<string, Array<{ day: string; calls: number }>>();
  for (const { client_id: id, ...day } of sums) {
    const list = calls.get(id) ?? [];
    list.push(day);
    calls.set(id, list);
  }
  return {
    callsOf: (id) => (byId.get(id)?.has_tokens ? (calls.get(id) ?? []) : []),
    within: (id) => {
      const { imported = 0, moved = 0, has_tokens: hasTokens = false } = byId.get(id) ?? {};
      const wholeAfter = hasTokens ? Math.max(whole.apps, moved) : whole.tokens;
      return knownAfter(context, Math.max(wholeAfter, imported))(days);
    },
  };
}
