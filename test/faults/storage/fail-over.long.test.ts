import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { takeOver } from '../../../src/domain/instance/take-over.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { startPostgres, type TestPostgres } from '../../support/database/postgres.ts';
import { askServer, startStandby, type TestStandby } from '../../support/database/standby.ts';
import { testInProcess } from '../../support/jest/test-mode.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { until } from '../../support/servers/held-answer.ts';
import { openLine, type SeverableLine } from '../../support/servers/severable-line.ts';
import { watchPairs } from './support/pairs.ts';
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

/** The primary of PostgreSQL is killed under load, its standby is promoted, and the address leads to the standby then. */

/** Longer than the new API is waited for, and short enough for a test that sees what comes after. */
const QUIET = { IN_DOUBT_QUIET_SECONDS: '25' };
const SETTLED_WITHIN = 120_000;

let primary: TestPostgres;
let standby: TestStandby;
let line: SeverableLine;
let system: System;
let tokens: string[];

const context = () => system.bridge.context;

beforeEach(async () => {
  primary = await startPostgres();
  standby = await startStandby(primary);
  const address = new URL(primary.url);
  address.port = String(await freePort());
  line = await openLine(Number(address.port), primary.port);
  system = await startSystem({ env: { ...LOAD_SETTINGS, ...QUIET, DATABASE_URL: address.href } });
  tokens = await connectCallers(system);
});

afterEach(async () => {
  await system.stop();
  await line.close();
  await standby.stop();
  await primary.stop();
});

/** As the program does that looks after both servers: the address leads to the new one once that one takes writes. */
async function failOver(): Promise<void> {
  const port = Number(new URL(line.origin).port);
  await line.refuse();
  await standby.promote();
  line = await openLine(port, standby.port);
}

/** Keeps the answers to refreshes until the release; how many refreshes wait. */
function holdRefreshes() {
  const { proxy } = system;
  const pass = proxy.onTokenAnswer;
  const gate = new EventEmitter();
  const open = once(gate, 'open');
  let held = 0;
  proxy.onTokenAnswer = async (call, answer) => {
    if (call.refreshToken !== undefined) {
      held += 1;
      await open;
    }
    return (await pass?.(call, answer)) ?? answer;
  };
  return { held: () => held, release: () => void gate.emit('open') };
}

/** Every access token ends now. The fail-over ended connections, and the pool may hear of it only here. */
const expireAll = () =>
  until(() =>
    context()
      .store.durable.updateTable('grants')
      .set({ access_expires_at: 0, refresh_at: 0, retry_at: 0 })
      .execute()
      .then(
        () => true,
        () => false,
      ),
  );

const readAll = async () =>
  (await Promise.all(tokens.map((token) => read(system, '/1/profiles.json', token)))).map(
    ({ status }) => status,
  );

const epochAt = async (url: string) => {
  const [row] = await askServer<{ epoch: string }>(url, 'select epoch from instance');
  return Number(row?.epoch);
};

async function grantStates(): Promise<string[]> {
  const rows = await context().store.durable.selectFrom('grants').select('state').execute();
  return rows.map(({ state }) => state);
}

testInProcess(
  'row F167 a synchronous standby: the bridge serves again by itself, and refreshes under way are stored there',
  async () => {
    await standby.beSynchronous();
    const pairs = watchPairs(system.proxy);
    const callers = startCallers(system, tokens);
    await callers.untilAllServed();
    const last = await issueToken(system, { app: await system.registerApp('https://last.example/callback') });
    const stopExpiring = expireSteadily(system);
    await callers.untilAllServed();
    const refreshes = holdRefreshes();
    await until(() => refreshes.held() > 0, RECOVERS_WITHIN);
    const inFlight = refreshes.held();
    let took = 0;
    await primary.restart('SIGKILL', async () => {
      const begun = performance.now();
      await failOver();
      refreshes.release();
      await timeRecovery(() => callers.untilAllServed());
      took = Math.round(performance.now() - begun);
    });
    await stopExpiring();
    await callers.end();
    print(
      `synchronous: ${answersOf(callers)}; ${inFlight} refreshes were in flight, served again after ${took} ms`,
    );
    expect(callers.faults).toEqual([]);
    await expectWhole(system);
    expect(await pairs.findHarm(context())).toEqual([]);
    expect((await read(system, '/1/profiles.json', last)).status).toBe(200);
    expect(context().instance.isCopy()).toBe(false);
  },
);

testInProcess(
  'a standby that lacks refreshes: nothing is presented on it until it is taken over, and no token twice then',
  async () => {
    await standby.stopFollowing();
    const known = await epochAt(standby.url);
    await expireAll();
    expect(await readAll()).toEqual(tokens.map(() => 200));
    await until(() => context().instance.seen().epoch > known, RECOVERS_WITHIN);
    const presented = system.proxy.refreshes().length;
    expect(presented).toBeGreaterThanOrEqual(tokens.length);
    await primary.restart('SIGKILL', failOver);
    await until(() => context().instance.isCopy(), RECOVERS_WITHIN);
    await expireAll();
    expect(await readAll()).toEqual(tokens.map(() => 503));
    await delay(1000);
    expect(system.proxy.refreshes().length).toBe(presented);
    expect(await takeOver(context())).toBe(tokens.length);
    await until(() => !context().instance.isCopy(), RECOVERS_WITHIN);
    // Each of them was spent at the primary, which only the new API knows.
    await until(async () => (await grantStates()).every((state) => state === 'dead'), SETTLED_WITHIN);
    expect(await readAll()).toEqual(tokens.map(() => 401));
    expect(system.proxy.refreshes().length).toBe(presented);
    system.proxy.assertNoRefreshTokenTwice();
  },
);
