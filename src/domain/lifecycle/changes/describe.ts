import { DAY } from '../../../shared/lifetimes.ts';
import { publicSince } from '../../../store/lifecycle/brownouts.ts';
import type { BrownoutRow } from '../../../store/lifecycle/lifecycle.ts';
import type { LifecycleDeps } from '../deps.ts';
import type { Lifecycle, Milestone } from '../lifecycle.ts';
import { readCommonDates } from '../read-lifecycle.ts';

/** The public facts about dates and brownouts. Times granted to one app, and rehearsals, are never public. */

export type BrownoutState = 'planned' | 'running' | 'over' | 'cancelled';

/** A brownout of all apps; times in Unix milliseconds. */
export interface PublicBrownout {
  id: string;
  rehearses: Milestone;
  startsAt: number;
  /** The end of the brownout, ahead or past. */
  endsAt: number;
  /** `cancelled`: removed before it began. */
  state: BrownoutState;
  text: string;
}

export interface PublicLifecycle {
  now: number;
  dates: Lifecycle['dates'];
  /** Planned and running brownouts, and the brownouts of the last 90 days, in the order of their start. */
  brownouts: PublicBrownout[];
}

/** How long a brownout stays listed after its end. */
const PAST_SHOWN = 90 * DAY;

function stateOf({ starts_at, ends_at, removed_at }: BrownoutRow, now: number): BrownoutState {
  if (removed_at !== null) return removed_at < starts_at ? 'cancelled' : 'over';
  if (now < starts_at) return 'planned';
  return now < ends_at ? 'running' : 'over';
}

function described(row: BrownoutRow, now: number): PublicBrownout {
  const { id, rehearses, text } = row;
  const state = stateOf(row, now);
  const endsAt = state === 'over' ? (row.removed_at ?? row.ends_at) : row.ends_at;
  return { id, rehearses, startsAt: row.starts_at, endsAt, state, text };
}

/** Reads dates and brownouts from the database. */
export async function describeLifecycle({
  store,
  clock,
}: Pick<LifecycleDeps, 'store' | 'clock'>): Promise<PublicLifecycle> {
  const now = clock.now();
  const dates = await readCommonDates(store.durable);
  const rows = await publicSince(store.durable, now - PAST_SHOWN);
  return { now, dates, brownouts: rows.map((row) => described(row, now)) };
}
