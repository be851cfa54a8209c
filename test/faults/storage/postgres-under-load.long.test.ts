import { setTimeout as delay } from 'node:timers/promises';
import { takeOver } from '../../../src/domain/instance/take-over.ts';
import { openTurnableDatabase, type TurnableDatabase } from '../../grants/support/turnable-database.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { startPostgres, type TestPostgres } from '../../support/database/postgres.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { testInProcess } from '../../support/jest/test-mode.ts';
import { until } from '../../support/servers/held-answer.ts';
import { startCallers, type SteadyCallers } from './support/steady-callers.ts';

/** PostgreSQL goes away under reads and refreshes: callers get answers or 503, and all is as before by itself. */

const CALLERS = 12;
/** Nothing stands in for an answer, and every read asks the new API. */
const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
const RECOVERS_WITHIN = 30_000;

const print = (text: string) => process.stderr.write(`    ${text}\n`);

async function connect(system: System): Promise<string[]> {
  const browser = new CookieWalker();
  const tokens: string[] = [];
  while (tokens.length < CALLERS) {
    const app = await system.registerApp(`https://app-${tokens.length}.example/callback`);
    tokens.push(await issueToken(system, { app, browser }));
  }
  return tokens;
}

/** Lets every access token be over again and again, so that refreshes are under way all the time. */
function expireSteadily({ bridge }: System): () => Promise<void> {
  const ended = new AbortController();
  const running = (async () => {
    while (!ended.signal.aborted) {
      await bridge.context.store.durable
        .updateTable('grants')
        .set({ access_expires_at: 0, refresh_at: 0 })
        .where('state', '=', 'ready')
        .execute()
        .catch(() => undefined);
      await delay(200);
    }
  })();
  return () => {
    ended.abort();
    return running;
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  const timer = delay(RECOVERS_WITHIN).then(() => {
    throw new Error('not every caller was served again');
  });
  await Promise.race([work(), timer]);
  timer.catch(() => undefined);
  return Math.round(performance.now() - begun);
}

async function expectWhole(system: System): Promise<void> {
  const { context } = system.bridge;
  const states = async () => {
    const rows = await context.store.durable.selectFrom('grants').select('state').execute();
    return [...new Set(rows.map(({ state }) => state))].join();
  };
  await until(async () => (await states()) === 'ready', RECOVERS_WITHIN);
  expect((await context.spill.list()).entries).toEqual([]);
  system.proxy.assertNoRefreshTokenTwice();
}

const told = ({ statuses }: SteadyCallers) =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');

describe('row F167 a server that is restarted', () => {
  let postgres: TestPostgres;
  let system: System;
  let tokens: string[];

  beforeAll(async () => {
    postgres = await startPostgres();
    system = await startSystem({ env: { ...env, DATABASE_URL: postgres.url } });
    tokens = await connect(system);
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
    const took = await timed(() => callers.untilAllServed());
    await stopExpiring();
    await callers.end();
    print(
      `${signal}: ${told(callers)}; ${system.proxy.refreshes().length} refreshes; served again after ${took} ms`,
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
    system = await startSystem({ env: { ...env, DATABASE_URL: database.url } });
  });

  afterAll(async () => {
    await system.stop();
    await database.close();
  });

  testInProcess('a copy presents nothing until it is taken over, and then everybody is served', async () => {
    const tokens = await connect(system);
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
    const took = await timed(() => callers.untilAllServed());
    await callers.end();
    print(`fail-over: ${told(callers)}; served again ${took} ms after the take-over`);
    expect(callers.faults).toEqual([]);
    system.proxy.assertNoRefreshTokenTwice();
  });
});
