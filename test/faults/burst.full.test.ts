import { setTimeout as delay } from 'node:timers/promises';
import { readBreaker } from '../../src/store/grants/refresh-breaker.ts';
import { type Bridges, startBridges } from '../races/bridges.ts';
import { connectApp, expireGrants, nth, print, readAt } from '../races/calls.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import type { Answer } from '../support/servers/forward.ts';
import { until } from '../support/servers/held-answer.ts';
import { databasesOf } from '../support/jest/test-mode.ts';

/**
 * Many grants whose access tokens have ended are called for at the same moment at two processes, after some time without
 * a refresh. Where the modern side answers they are all served; where every answer is lost it costs five at most.
 */

/** More than a fault in the midst of good answers may cost, and the good ones. */
const BURST = 60;
const LOST_AT_MOST = 5;
/** What two tests lose is not called for again. */
const GRANTS = BURST + 2 * LOST_AT_MOST;
/** The cap of one process on exchanges with the authorization server. */
const AT_ONCE = 16;
/** So many show that answers come, and the fault meets those behind. */
const GOOD_ONES = 6;
const SLOW = 1000;
/** More than both processes may send at once; a machine that does much else serves them while a caller waits. */
const ALL_SERVED = 40;
const SLOWISH = 500;

/** Long enough that no doubt is settled within the test. */
const QUIET_SECONDS = '3600';

const badGateway: Answer = { status: 502, headers: {}, body: Buffer.from('bad gateway') };

describe.each(databasesOf('postgres'))('on %s', (database) => {
  let bridges: Bridges;
  /** Of an app each. */
  let tokens: Array<{ token: string; clientId: string }>;

  beforeAll(async () => {
    bridges = await startBridges({ count: 2, database, env: { IN_DOUBT_QUIET_SECONDS: QUIET_SECONDS } });
    const browser = new CookieWalker();
    tokens = [];
    while (tokens.length < GRANTS) {
      const app = await bridges.registerApp();
      tokens.push({ token: await connectApp(bridges, app, browser), clientId: app.clientId });
    }
  }, 600_000);

  afterAll(() => bridges.stop());

  const breaker = () => readBreaker(bridges.context.store.durable, bridges.context.clock.now());

  /** As after a time without a refresh: no answer came lately, no lost one counts. */
  async function becomeQuiet(): Promise<void> {
    const { durable } = bridges.context.store;
    await durable.updateTable('grants').set({ doubted_at: null }).execute();
    const calm = { tripped_at: null, next_at: 0, pause: 0 };
    await durable
      .updateTable('refresh_breaker')
      .set((eb) => ({ ...calm, turn: eb('turn', '+', 1) }))
      .execute();
    await expireGrants(bridges);
    await until(async () => (await breaker()).goodLately === 0);
  }

  /** What was lost is settled by no test. */
  async function forgetLost(): Promise<void> {
    const grants = bridges.context.store.durable.selectFrom('grants');
    const rows = await grants.select('client_id').where('state', '=', 'ready').execute();
    const ready = new Set(rows.map((row) => row.client_id));
    tokens = tokens.filter(({ clientId }) => ready.has(clientId));
  }

  async function callAtOnce(burst = BURST) {
    await forgetLost();
    const before = bridges.proxy.refreshes().length;
    const begin = performance.now();
    const called = tokens.slice(0, burst);
    expect(called).toHaveLength(burst);
    const calls = called.map(({ token }, number) => readAt(nth(bridges, number % 2), token));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    bridges.proxy.assertNoRefreshTokenTwice();
    return {
      sent: () => bridges.proxy.refreshes().length - before,
      took: Math.round(performance.now() - begin),
      statuses: [...new Set(statuses)],
      turnedAway: called.filter((_, number) => statuses[number] !== 200),
    };
  }

  /** Of these apps, the grants that were claimed or tried in vain before anything was sent: the machine was too slow. */
  async function restingOf(apps: typeof tokens): Promise<number> {
    const grants = bridges.context.store.durable.selectFrom('grants').select('client_id');
    const resting = new Set((await grants.where('attempts', '>', 0).execute()).map((row) => row.client_id));
    return apps.filter(({ clientId }) => resting.has(clientId)).length;
  }

  test('a slow modern side refreshes each once, and every caller is served', async () => {
    await becomeQuiet();
    bridges.proxy.onTokenAnswer = async (_call, answer) => {
      await delay(SLOWISH);
      return answer;
    };
    const { sent, took, turnedAway } = await callAtOnce(ALL_SERVED);
    print(
      `${database}: ${ALL_SERVED} grants at once, answers after half a second: ` +
        `${ALL_SERVED - turnedAway.length} served after ${took} ms`,
    );
    // The breaker turns nobody away. A machine that stands still for seconds does so before anything is sent.
    expect(await restingOf(turnedAway)).toBe(turnedAway.length);
    for (const { token } of turnedAway)
      await until(async () => (await readAt(nth(bridges, 0), token)).status === 200, 60_000);
    expect(sent()).toBe(ALL_SERVED);
    bridges.proxy.assertNoRefreshTokenTwice();
  });

  test.each([0, SLOW])('answers that are lost after %i ms cost at most five', async (after) => {
    await becomeQuiet();
    bridges.proxy.onTokenAnswer = async () => {
      await delay(after);
      return badGateway;
    };
    const { sent, statuses } = await callAtOnce();
    print(`${database}: ${BURST} grants at once, 502 after ${after} ms: ${sent()} were spent`);
    expect(sent()).toBeLessThanOrEqual(LOST_AT_MOST);
    expect(statuses).toEqual([503]);
  });

  test('a fault in the midst of good answers costs no more than what is under way', async () => {
    await becomeQuiet();
    let good = 0;
    bridges.proxy.onTokenAnswer = async (_call, answer) => {
      if (good < GOOD_ONES) {
        good += 1;
        return answer;
      }
      await delay(SLOW);
      return badGateway;
    };
    const { sent } = await callAtOnce();
    print(
      `${database}: ${BURST} grants at once, 502 after ${GOOD_ONES} good answers: ${sent() - good} were spent`,
    );
    // Those that began before the last good answer, and the five that may be under way after it.
    expect(sent() - good).toBeLessThanOrEqual(2 * AT_ONCE + LOST_AT_MOST);
  });
});
