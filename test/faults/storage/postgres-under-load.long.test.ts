import { setTimeout as delay } from 'node:timers/promises';
import { takeOver } from '../../../src/domain/instance/take-over.ts';
import { openTurnableDatabase, type TurnableDatabase } from '../../grants/support/turnable-database.ts';
import { startPostgres, type TestPostgres } from '../../support/database/postgres.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { testInProcess } from '../../support/jest/test-mode.ts';
import { until } from '../../support/servers/held-answer.ts';
import { startCallers } from './support/steady-callers.ts';
import {
  answersOf,
  connectCallers,
  expectWhole,
  expireSteadily,
  LOAD_SETTINGS,
  print,
  RECOVERS_WITHIN,
  timeRecovery,
} from './support/under-load.ts';

/** PostgreSQL goes away under reads and refreshes: callers get answers or 503, and all is as before by itself. */

describe('row F167 a server that is restarted', () => {
  let postgres: TestPostgres;
  let system: System;
  let tokens: string[];

  beforeAll(async () => {
    postgres = await startPostgres();
    system = await startSystem({ env: { ...LOAD_SETTINGS, DATABASE_URL: postgres.url } });
    tokens = await connectCallers(system);
  });

  afterAll(async () => {
    await system.stop();
    await postgres.stop();
  });

  test.each([
    ['at once, as in a crash', 'SIGQUIT'],
    ['killed', 'SIGKILL'],
    ['as fast as it can in order', 'SIGINT'],
  ] as const)('%s, under reads and refreshes', async (_how, signal) => {
    const callers = startCallers(system, tokens);
    const stopExpiring = expireSteadily(system);
    await callers.untilAllServed();
    await postgres.restart(signal);
    const took = await timeRecovery(() => callers.untilAllServed());
    await stopExpiring();
    await callers.end();
    print(
      `${signal}: ${answersOf(callers)}; ${system.proxy.refreshes().length} refreshes; served again after ${took} ms`,
    );
    expect(callers.faults).toEqual([]);
    await expectWhole(system);
  });
});

describe('a server that fails over to a copy', () => {
  let database: TurnableDatabase;
  let system: System;

  beforeAll(async () => {
    database = await openTurnableDatabase();
    system = await startSystem({ env: { ...LOAD_SETTINGS, DATABASE_URL: database.url } });
  });

  afterAll(async () => {
    await system.stop();
    await database.close();
  });

  testInProcess('a copy presents nothing until it is taken over, and then everybody is served', async () => {
    const tokens = await connectCallers(system);
    const { context } = system.bridge;
    await database.copy();
    const callers = startCallers(system, tokens);
    await callers.untilAllServed();
    await context.store.durable.updateTable('grants').set({ access_expires_at: 0, refresh_at: 0 }).execute();
    await database.toCopy();
    await until(() => context.instance.isCopy(), RECOVERS_WITHIN);
    const presented = system.proxy.refreshes().length;
    await delay(1000);
    expect(system.proxy.refreshes().length).toBe(presented);
    await until(
      () =>
        takeOver(context).then(
          () => true,
          () => false,
        ),
      RECOVERS_WITHIN,
    );
    const took = await timeRecovery(() => callers.untilAllServed());
    await callers.end();
    print(`fail-over: ${answersOf(callers)}; served again ${took} ms after the take-over`);
    expect(callers.faults).toEqual([]);
    system.proxy.assertNoRefreshTokenTwice();
  });
});
