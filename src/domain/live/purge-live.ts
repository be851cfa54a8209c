import { LIVE_KEPT } from '../../shared/lifetimes.ts';
import { deleteLiveCallsBefore } from '../../store/usage/live-calls.ts';
import { deleteUnwatched } from '../../store/usage/watched-apps.ts';
import type { LiveDeps } from './deps.ts';
import { restForCalls } from '../work/yield-to-event-loop.ts';
import { liveIdAt } from './live-id.ts';

/** Rows of one removal. With SQLite, the process does no other work while a removal runs. */
const AT_ONCE = 1000;

/** Removes calls that are too old to be shown, and apps without watchers. */
export async function purgeLive({ store, clock, shutdown }: LiveDeps): Promise<void> {
  const now = clock.now();
  await deleteUnwatched(store, now);
  while ((await deleteLiveCallsBefore(store, liveIdAt(now - LIVE_KEPT), AT_ONCE)) === AT_ONCE)
    await restForCalls(shutdown.signal);
}
