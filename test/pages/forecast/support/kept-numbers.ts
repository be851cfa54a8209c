import { DAY } from '../../../../src/shared/lifetimes.ts';
import { newHexId } from '../../../../src/shared/ids.ts';
import { dayOf } from '../../../../src/shared/moments.ts';
import { NOTHING_COUNTED } from '../../../../src/store/progress/progress.ts';
import { takeLease } from '../../../../src/store/work/leases.ts';
import { DANA, waitingToken } from '../../../owners/support/people.ts';
import { registerLegacyApp } from '../../../support/bridge/register-app.ts';
import { SettableClock } from '../../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../../support/bridge/system.ts';
import { until } from '../../../support/servers/held-answer.ts';

/** A bridge with one app of Dana, whose numbers of the last days a test writes. */

export const NOW = Date.parse('2026-11-22T10:00:00Z');

export interface KeptNumbers {
  /** How many waited at the end of a day, so many days ago. */
  waiting: (ago: number) => number;
  days?: number;
  countedUntil?: number;
}

export interface ForecastWorld {
  system: System;
  clientId: string;
  keep(numbers: KeptNumbers): Promise<void>;
}

/** Ten a day, until 1,020 wait today: the last one in 102 days. */
export const tenADay = (ago: number) => 1020 + 10 * ago;

/** The hourly job would count anew what the tests write. */
async function holdTheJob({ bridge: { context } }: System): Promise<void> {
  const lease = { name: 'job keep-progress', holder: newHexId() };
  const now = context.clock.now();
  await until(() => takeLease(context.store, lease, { now, until: now + DAY }));
}

const dayAgo = (days: number) => dayOf(NOW - days * DAY);

/** The numbers as the job keeps them: a row where they changed, and a sum for each counted day. */
async function keepNumbers(system: System, clientId: string, kept: KeptNumbers): Promise<void> {
  const { durable } = system.bridge.context.store;
  await durable.deleteFrom('progress').execute();
  await durable.deleteFrom('progress_of_all').execute();
  const { waiting, days = 60, countedUntil = 0 } = kept;
  let before = -1;
  for (let ago = days; ago >= countedUntil; ago--) {
    const active = Math.max(0, waiting(days) - waiting(ago));
    const numbers = { ...NOTHING_COUNTED, unmapped: waiting(ago), active };
    const row = { client_id: clientId, day: dayAgo(ago), ...numbers };
    if (waiting(ago) !== before) await durable.insertInto('progress').values(row).execute();
    await durable
      .insertInto('progress_of_all')
      .values({ day: dayAgo(ago), ...numbers })
      .execute();
    before = waiting(ago);
  }
}

/** Starts it. */
export async function startForecastWorld(): Promise<ForecastWorld> {
  // The retirement changes calls only beside an old API.
  const env = { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' };
  const system = await startSystem({ clock: new SettableClock(NOW), env });
  await holdTheJob(system);
  const app = await registerLegacyApp(system.bridge, 'https://forecast.example/cb', DANA.accountId);
  await waitingToken(system, { app, accountId: DANA.accountId });
  return {
    system,
    clientId: app.clientId,
    keep: (numbers) => keepNumbers(system, app.clientId, numbers),
  };
}
