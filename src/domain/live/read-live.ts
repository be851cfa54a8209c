import { LIVE_KEPT, SECOND } from '../../shared/lifetimes.ts';
import { listLiveCalls, type LiveCallRow } from '../../store/usage/live-calls.ts';
import type { Context } from '../context.ts';
import { liveIdAt } from './live-id.ts';
import { type Place, tellFrom } from './place.ts';

export type { LiveCallRow } from '../../store/usage/live-calls.ts';

/** Whose calls are read: those of an app, or of it those with tokens of one account. */
export interface Seen {
  clientId: string;
  accountId: string | undefined;
}

/** What a page shows at first. */
const SHOWN_AT_FIRST = 50;

/** Of one reading; what comes faster is not shown. */
const READ_MAX = 200;

/** A process may be this late with what it writes. */
const LATE = 10 * SECOND;

/** The last calls, the newest first, and the place from which on later ones are told. */
export async function readNewest(
  { store, clock }: Context,
  seen: Seen,
): Promise<{ calls: LiveCallRow[]; place: Place }> {
  const oldest = liveIdAt(clock.now() - LIVE_KEPT);
  const calls = await listLiveCalls(store, seen, { after: oldest, limit: SHOWN_AT_FIRST });
  // One that was left out is not told later on either, be its process among those that are shown or not.
  const floor = calls.length < SHOWN_AT_FIRST ? oldest : (calls.at(-1)?.id ?? oldest);
  const { place } = tellFrom({ told: 0, floor, last: new Map() }, calls);
  return { calls, place: { ...place, told: 0 } };
}

/** The calls that came since, the newest first; `isFirst` after a time in which nobody looked. */
export async function readOn(
  { store, clock }: Context,
  seen: Seen,
  { place, isFirst }: { place: Place; isFirst: boolean },
): Promise<{ fresh: LiveCallRow[]; place: Place }> {
  const since = liveIdAt(clock.now() - (isFirst ? LIVE_KEPT : LATE));
  const after = since > place.floor ? since : place.floor;
  return tellFrom(place, await listLiveCalls(store, seen, { after, limit: READ_MAX }));
}
