import type { DayCalls } from '../usage/calls-per-day.ts';
import { oldCallOf, type OldCallName } from '../old-calls/old-calls.ts';

/** How often each of the nineteen calls was made. A call that was never made is absent. */
export function callsMade(
  lately: ReadonlyArray<Pick<DayCalls, 'endpoint' | 'calls'>>,
): Map<OldCallName, number> {
  const made = new Map<OldCallName, number>();
  for (const { endpoint, calls } of lately) {
    const name = oldCallOf(endpoint);
    if (name) made.set(name, calls + (made.get(name) ?? 0));
  }
  return made;
}
