import type { Milestone } from '../../../src/domain/lifecycle/lifecycle.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import type { DateName } from '../../../src/store/tables/lifecycle.ts';
import type { Database } from '../../../src/store/driver/store.ts';
import { setDate } from '../../../src/store/lifecycle/lifecycle-dates.ts';
import { until as eventually } from '../../support/servers/held-answer.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import type { StartedBridge } from '../../support/bridge/started-bridge.ts';
import { testMode } from '../../support/jest/test-mode.ts';

/** Dates, extensions, exemptions and brownouts as rows, as whoever plans them leaves them. */

type At = Pick<StartedBridge, 'context' | 'url'>;

/** Connections of one look: several processes may serve one address, and each connection meets one of them. */
const LOOKS = 8;

/** Resolves when every process at these addresses tells this deprecation. */
async function untilKnown(urls: readonly string[], deprecation: number | undefined): Promise<void> {
  const wanted = deprecation === undefined ? undefined : `@${Math.floor(deprecation / 1000)}`;
  const looks = urls.flatMap((url) => Array.from({ length: LOOKS }, () => url));
  await eventually(async () => {
    const answers = await Promise.all(looks.map((url) => sendRaw(url, { path: '/1/user/deauthorize.json' })));
    return answers.every(({ headers }) => headers['deprecation'] === wanted);
  });
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

let plans = 0;

/** No test's own: a deprecation by which the rows beside it are known from those before. */
const nextMark = () => (plans += 1) * 1000;

/** Where other processes than this one serve, which look every second (src/domain/lifecycle/lifecycle-watch.ts). */
const elsewhere = ({ url }: At) => (testMode.isSpawned ? [url] : []);

/** From now on this is planned and nothing else, also for the processes at `urls`. */
export async function plan(
  bridge: At,
  wanted: Plan,
  urls: readonly string[] = elsewhere(bridge),
): Promise<void> {
  const { deprecation } = wanted.dates ?? {};
  const mark = urls.length === 0 ? deprecation : nextMark();
  await writePlan(bridge, {
    ...wanted,
    dates: { ...wanted.dates, ...(mark !== undefined && { deprecation: mark }) },
  });
  await untilKnown(urls, mark);
  if (mark !== deprecation) await writePlan(bridge, wanted);
  await untilKnown(urls, deprecation);
}

async function writePlan(bridge: At, wanted: Plan): Promise<void> {
  await bridge.context.store.transaction(async (tx) => {
    for (const table of ['lifecycle_dates', 'extensions', 'brownout_exemptions', 'brownouts'] as const)
      await tx.deleteFrom(table).execute();
    await addDates(tx, wanted.dates);
    await addExceptions(tx, wanted);
    await addBrownouts(tx, wanted.brownouts);
  });
  await bridge.context.lifecycle.refresh();
}
