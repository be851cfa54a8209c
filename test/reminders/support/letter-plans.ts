import { DAY } from '../../../src/shared/lifetimes.ts';
import type { System } from '../../support/bridge/system.ts';
import { NOW } from './letters.ts';

/** What operators plan for all and grant to one, for the tests of what a mail says of it. */

/** Plans outages of all, by what they rehearse. */
export async function planOutages(system: System, rehearsed: ReadonlyArray<'retirement' | 'sunset'>) {
  const { store, lifecycle } = system.bridge.context;
  await store.durable.deleteFrom('brownouts').execute();
  for (const [index, rehearses] of rehearsed.entries()) {
    const starts_at = NOW + (index + 2) * DAY;
    const row = {
      id: `worlds-${index}`,
      client_id: null,
      rehearses,
      starts_at,
      ends_at: starts_at + 900_000,
    };
    await store.durable
      .insertInto('brownouts')
      .values({ ...row, text: 'A test.', planned_by: 'test', planned_at: NOW })
      .execute();
  }
  await lifecycle.refresh();
}

/** Leaves an app out of them, until after the morning of `NOW`. */
export async function exempt(system: System, client_id: string) {
  const { store, lifecycle } = system.bridge.context;
  const granted = { reason: 'asked', granted_by: 'test', granted_at: NOW };
  await store.durable
    .insertInto('brownout_exemptions')
    .values({ id: client_id, client_id, until: NOW + 4 * 3_600_000, ...granted })
    .execute();
  await lifecycle.refresh();
}

/** Gives an app more time. */
export async function extend(
  system: System,
  client_id: string,
  times: Partial<Record<'retirement' | 'sunset', number>>,
) {
  const { store, lifecycle } = system.bridge.context;
  for (const name of ['retirement', 'sunset'] as const) {
    const until = times[name];
    if (until === undefined) continue;
    const granted = { reason: 'asked', granted_by: 'test', granted_at: NOW };
    const id = `${client_id}-${name}`;
    await store.durable
      .insertInto('extensions')
      .values({ id, client_id, name, until, ...granted })
      .execute();
  }
  await lifecycle.refresh();
}
