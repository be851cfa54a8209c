import type { Context } from '../../../src/domain/context.ts';
import { forecastOfAll, forecastOfApps } from '../../../src/domain/progress/forecaster.ts';
import { keepProgress } from '../../../src/domain/progress/keep-progress.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { dayOf } from '../../../src/shared/moments.ts';
import { addApp, addToken, type Ground, openGround } from '../../reminders/support/planning-ground.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';

/** A forecast from what the hourly job keeps, day by day, of real tokens. */

const START = Date.parse('2026-03-01T10:00:00Z');

describe.each(databaseKinds)('on %s', (kind) => {
  const clock = new SettableClock(START);
  let ground: Ground;
  let context: Context;
  let [app, idle] = ['', ''];

  beforeAll(async () => {
    ground = await openGround(kind, clock);
    context = await ground.open();
    [app, idle] = [await addApp(context), await addApp(context)];
    for (let made = 0; made < 60; made++) await addToken(context, app);
    await addToken(context, idle);
  });
  afterAll(() => ground.close());

  /** Connects two tokens a day; counts on these days alone. */
  async function liveFor(days: number, isCounted: (day: number) => boolean): Promise<void> {
    const { durable } = context.store;
    for (let day = 0; day < days; day++) {
      const two = durable
        .selectFrom('mappings')
        .select('id')
        .where('client_id', '=', app)
        .where('state', '=', 'unmapped')
        .limit(2);
      const ids = (await two.execute()).map(({ id }) => id);
      await durable.updateTable('mappings').set({ state: 'active' }).where('id', 'in', ids).execute();
      if (isCounted(day)) await keepProgress(context);
      clock.advance(DAY);
    }
    clock.advance(-DAY);
  }

  test('an app and all apps have the day on which none waits, or why there is none', async () => {
    expect(await forecastOfAll(context)).toEqual({ kind: 'none' });
    // On three days nobody counts.
    await liveFor(20, (day) => day < 6 || day > 8);
    // Twenty wait; two a day.
    const zeroDay = dayOf(clock.now() + 10 * DAY);
    const forecasts = await forecastOfApps(context, [app, idle, 'unknown']);
    expect(forecasts.get(app)).toMatchObject({
      kind: 'falling',
      waiting: 20,
      fell: 28,
      zeroDay,
      leftOut: [],
    });
    expect(forecasts.get(idle)).toMatchObject({ kind: 'not_falling', waiting: 1, fell: 0 });
    expect(forecasts.get('unknown')).toEqual({ kind: 'none' });
    expect(await forecastOfAll(context)).toMatchObject({ kind: 'falling', waiting: 21, fell: 28 });
  });

  test('once nobody counts any more there is no date', async () => {
    const asOf = dayOf(clock.now());
    clock.advance(2 * DAY);
    expect(await forecastOfAll(context)).toEqual({ kind: 'count_is_old', asOf });
    expect((await forecastOfApps(context, [app])).get(app)).toEqual({ kind: 'count_is_old', asOf });
  });
});
