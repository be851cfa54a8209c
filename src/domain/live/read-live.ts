import { LIVE_KEPT, SECOND } from '../../shared/lifetimes.ts';
import { listLiveCalls, type LiveCallRow } from '../../store/usage/live-calls.ts';
import type { LiveDeps } from './deps.ts';
import { liveIdAt } from './live-id.ts';
import { type LiveCursor, tellFrom } from './place.ts';

export type { LiveCallRow } from '../../store/usage/live-calls.ts';

/** Which calls are read: all calls of an app, or only the calls with tokens of one account. */
export interface LiveScope {
  clientId: string;
  accountId: string | undefined;
}

/** How many calls a page shows at first. */
const SHOWN_AT_FIRST = 50;

/** The most calls of one reading; calls that come faster are not shown. */
const READ_MAX = 200;

/** A process may write a call this late. */
const LATE = 10 * SECOND;

/** The last calls, the newest first, and the place from which later calls are told. */
export async function readNewest(
  { store, clock }: LiveDeps,
  seen: LiveScope,
): Promise<{ calls: LiveCallRow[]; place: LiveCursor }> {
  const oldest = liveIdAt(clock.now() - LIVE_KEPT);
  const calls = await listLiveCalls(store, seen, { after: oldest, limit: SHOWN_AT_FIRST });
  // A call that was left out here is not told later either, whether or not other calls of its process are shown.
  const floor = calls.length < SHOWN_AT_FIRST ? oldest : (calls.at(-1)?.id ?? oldest);
  const { place } = tellFrom({ told: 0, floor, last: new Map() }, calls);
  return { calls, place: { ...place, told: 0 } };
}

/**
 * The calls that came since the place, the newest first. `isFirst`: the first reading of a stream, after a time without
 * readings.
 */
export async function readOn(
  { store, clock }: LiveDeps,
  seen: LiveScope,
  { place, isFirst }: { place: LiveCursor; isFirst: boolean },
): Promise<{ fresh: LiveCallRow[]; place: LiveCursor }> {
  const since = liveIdAt(clock.now() - (isFirst ? LIVE_KEPT : LATE));
  const after = since > place.floor ? since : place.floor;
  return tellFrom(place, await listLiveCalls(store, seen, { after, limit: READ_MAX }));
}
