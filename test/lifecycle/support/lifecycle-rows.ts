import { setTimeout as delay } from 'node:timers/promises';
import type { Milestone } from '../../../src/domain/lifecycle.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import type { DateName } from '../../../src/store/lifecycle-tables.ts';
import type { Database } from '../../../src/store/store.ts';
import { setDate } from '../../../src/store/lifecycle-dates.ts';
import type { StartedBridge } from '../../support/started-bridge.ts';
import { testMode } from '../../support/test-mode.ts';

/** Dates, extensions, exemptions and brownouts as rows, as whoever plans them leaves them. */

type At = Pick<StartedBridge, 'context'>;

/** Other processes look every second (src/domain/lifecycle-watch.ts). */
const KNOWN_AFTER = 1500;

/** Resolves when the bridge knows the rows. */
async function untilKnown({ context }: At): Promise<void> {
  await context.lifecycle.refresh();
  if (testMode.isSpawned) await delay(KNOWN_AFTER);
}

export interface Plan {
  dates?: Partial<Record<DateName, number>>;
  extensions?: Array<{ clientId: string; name: Milestone; until: number }>;
  exemptions?: Array<{ clientId: string; until: number }>;
  brownouts?: ReadonlyArray<{
    id?: string;
    clientId?: string;
    rehearses: Milestone;
    startsAt: number;
    endsAt: number;
    text?: string;
  }>;
}

const BY_TEST = { planned_by: 'test', planned_at: 0 };

const WHY = { reason: 'asked for it', granted_by: 'test', granted_at: 0 };

async function addDates(tx: Database, dates: Plan['dates'] = {}): Promise<void> {
  for (const name of ['deprecation', 'retirement', 'sunset'] as const) {
    const at = dates[name];
    if (at !== undefined) await setDate(tx, { name, at, changed_at: 0, changed_by: 'test' });
  }
}

async function addExceptions(tx: Database, { extensions = [], exemptions = [] }: Plan): Promise<void> {
  for (const { clientId, ...rest } of extensions)
    await tx
      .insertInto('extensions')
      .values({ id: newHexId(), client_id: clientId, ...rest, ...WHY })
      .execute();
  for (const { clientId, until } of exemptions)
    await tx
      .insertInto('brownout_exemptions')
      .values({ id: newHexId(), client_id: clientId, until, ...WHY })
      .execute();
}

const TEXT = 'The old API is switched off to show what its end will break.';

async function addBrownouts(tx: Database, brownouts: Plan['brownouts'] = []): Promise<void> {
  for (const { id = newHexId(), clientId = null, rehearses, startsAt, endsAt, text = TEXT } of brownouts)
    await tx
      .insertInto('brownouts')
      .values({ id, client_id: clientId, rehearses, starts_at: startsAt, ends_at: endsAt, text, ...BY_TEST })
      .execute();
}

/** From now on this is planned and nothing else. */
export async function plan(bridge: At, wanted: Plan): Promise<void> {
  await bridge.context.store.transaction(async (tx) => {
    for (const table of ['lifecycle_dates', 'extensions', 'brownout_exemptions', 'brownouts'] as const)
      await tx.deleteFrom(table).execute();
    await addDates(tx, wanted.dates);
    await addExceptions(tx, wanted);
    await addBrownouts(tx, wanted.brownouts);
  });
  await untilKnown(bridge);
}
