import { LIVE_KEPT } from '../../shared/lifetimes.ts';
import { deleteLiveCallsBefore } from '../../store/usage/live-calls.ts';
import { deleteUnwatched } from '../../store/usage/watched-apps.ts';
import type { Context } from '../context.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { liveIdAt } from './live-id.ts';

/** Rows of one removal, which holds up the process while it runs (SQLite). */
const AT_ONCE = 1000;

/** Removes what is too old to be shown, and whom nobody watches any more. */
export async function purgeLive({ store, clock, shutdown }: Context): Promise<void> {
  const now = clock.now();
  await deleteUnwatched(store, now);
  while ((await deleteLiveCallsBefore(store, liveIdAt(now - LIVE_KEPT), AT_ONCE)) === AT_ONCE)
    await yieldToEventLoop(shutdown.signal);
}
