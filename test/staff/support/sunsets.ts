import { newHexId } from '../../../src/shared/ids.ts';
import type { System } from '../../support/bridge/system.ts';

/** A sunset that the operator's rules did not look at. */

/** The sunset of all apps but one, which has a year more. */
export async function keepSunset(
  system: System,
  { at, exceptFor }: { at: number; exceptFor: string },
): Promise<void> {
  const { store, lifecycle } = system.bridge.context;
  const by = { changed_at: 0, changed_by: 'test' };
  await store.durable
    .insertInto('lifecycle_dates')
    .values({ name: 'sunset', at, ...by })
    .execute();
  const granted = { granted_by: 'test', granted_at: 0, reason: 'more time', ended_at: null };
  const until = at + 365 * 86_400_000;
  await store.durable
    .insertInto('extensions')
    .values({ id: newHexId(), client_id: exceptFor, name: 'sunset', until, ...granted })
    .execute();
  await lifecycle.refresh();
}

export async function endSunset(system: System): Promise<void> {
  const { store, lifecycle } = system.bridge.context;
  await store.durable.deleteFrom('lifecycle_dates').execute();
  await store.durable.deleteFrom('extensions').execute();
  await lifecycle.refresh();
}
