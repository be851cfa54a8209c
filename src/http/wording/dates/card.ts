import type { WordingDeps } from '../deps.ts';
import { lifecycleReasons } from '../../../domain/lifecycle/lifecycle-reasons.ts';
import type { AppLifecycle } from '../../../domain/lifecycle/old-api-status.ts';
import { type BrownoutLine, brownoutLines, type DateLine, dateLines, nextLine } from './lines.ts';

/** The dates on a page: the card of one app, and the one line for all apps. */

/** At most this many short test outages are on the page of an app. The public page has all of them. */
const SHOWN = 4;

interface DateCard {
  /** The reasons are for the owner alone. */
  lines: Array<DateLine & { reason: string | undefined }>;
  brownouts: BrownoutLine[];
  /** How many brownouts are left out. */
  more: number;
  /** For the owner: until when the app is exempt from the brownouts for all apps, and why. */
  exemption: { until: number; reason: string | undefined } | undefined;
  /** For the owner: whether a coming date can be rehearsed. */
  isRehearsable: boolean;
}

/** The dates at this moment, for one app or for apps without a date of their own. */
export function appLifecycleNow(
  { lifecycle, clock, oldBackend }: WordingDeps,
  clientId?: string,
): AppLifecycle {
  const hasBackend = oldBackend !== undefined;
  return { lifecycle: lifecycle.current(), clientId, now: clock.now(), hasBackend };
}

/** The card of an app. */
export async function dateCard(
  context: WordingDeps,
  { clientId, isOwner }: { clientId: string; isOwner: boolean },
): Promise<DateCard> {
  const asOf = appLifecycleNow(context, clientId);
  const reasons = isOwner ? await lifecycleReasons(context, clientId) : undefined;
  const lines = dateLines(asOf);
  const brownouts = brownoutLines(asOf);
  const until = asOf.lifecycle.exemptions.get(clientId) ?? 0;
  return {
    lines: lines.map((line) => ({
      ...line,
      reason: line.forOthers === undefined ? undefined : reasons?.extensions[line.milestone],
    })),
    brownouts: brownouts.slice(0, SHOWN),
    more: Math.max(0, brownouts.length - SHOWN),
    exemption: reasons && until > asOf.now ? { until, reason: reasons.exemption } : undefined,
    isRehearsable: isOwner && lines.some(({ isPast, changesCalls }) => !isPast && changesCalls),
  };
}

/**
 * The first brownout that concerns one of the apps, now or later. Without apps: the first brownout for all apps.
 * Rehearsals by owners do not count.
 */
export function nextBrownout(context: WordingDeps, clientIds: readonly string[]): BrownoutLine | undefined {
  const asked = clientIds.length === 0 ? [undefined] : clientIds;
  return asked
    .flatMap((id) => brownoutLines(appLifecycleNow(context, id)).find(({ isOwn }) => !isOwn) ?? [])
    .toSorted((one, other) => one.startsAt - other.startsAt)[0];
}

/** The date that counts now for an app; without a client id the date for all apps. */
export function nextDate(context: WordingDeps, clientId?: string): DateLine | undefined {
  return nextLine(appLifecycleNow(context, clientId));
}
