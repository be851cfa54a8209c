import { setTimeout as delay } from 'node:timers/promises';
import { type Bridges, startBridges } from '../../races/bridges.ts';
import { connectApp, nth, readAt } from '../../races/calls.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { databasesOf } from '../../support/jest/test-mode.ts';

/**
 * A gateway fault of a minute at the real pace: two processes on one database, a modern side that spends every refresh
 * token it is shown, and 502 in the place of each of its answers. The access tokens of a hundred grants end meanwhile,
 * one after the other, and their apps call again and again. Without a limit all hundred were spent.
 */

const GRANTS = 100;
const FAULT = 60_000;
const EVERY = FAULT / GRANTS;
const LOST_AT_MOST = 6;

/** Long enough that no doubt is settled within the test: only what the fault itself costs is counted. */
const QUIET_SECONDS = '3600';

/** How soon an app that was not answered calls again. */
const CALL_AGAIN = 2000;

async function connectAll(bridges: Bridges): Promise<string[]> {
  const browser = new CookieWalker();
  const tokens: string[] = [];
  for (let number = 0; number < GRANTS; number += 1)
    tokens.push(await connectApp(bridges, await bridges.registerApp(), browser));
  return tokens;
}

/** The access tokens end from `begin` on, one each time; none is renewed ahead of its end. */
async function endOneByOne({ context }: Bridges, begin: number): Promise<void> {
  const { durable } = context.store;
  const grants = await durable.selectFrom('grants').select('id').orderBy('created_at').execute();
  for (const [number, { id }] of grants.entries()) {
    const at = begin + number * EVERY;
    const ends = { access_expires_at: at, refresh_at: at };
    await durable.updateTable('grants').set(ends).where('id', '=', id).execute();
  }
}

/** An app that calls from the end of its access token on until it is answered; its statuses. */
async function callUntilServed(bridges: Bridges, token: string, number: number): Promise<number[]> {
  await delay(number * EVERY);
  const statuses: number[] = [];
  const until = performance.now() + 5 * FAULT;
  while (statuses.at(-1) !== 200 && performance.now() < until) {
    if (statuses.length > 0) await delay(CALL_AGAIN);
    statuses.push((await readAt(nth(bridges, (number + statuses.length) % 2), token)).status);
  }
  return statuses;
}

const badGateway = { status: 502, headers: {}, body: Buffer.from('bad gateway') };

describe.each(databasesOf('postgres'))('on %s', (database) => {
  let bridges: Bridges;
  let tokens: string[];

  beforeAll(async () => {
    bridges = await startBridges({ count: 2, database, env: { IN_DOUBT_QUIET_SECONDS: QUIET_SECONDS } });
    tokens = await connectAll(bridges);
  }, 600_000);

  afterAll(() => bridges.stop());

  test('a minute of lost answers costs at most six grants, and the others go on after it', async () => {
    const { proxy, context } = bridges;
    await endOneByOne(bridges, context.clock.now());
    const apps = tokens.map((token, number) => callUntilServed(bridges, token, number));
    const begin = performance.now();
    proxy.onTokenAnswer = (_call, answer) => (performance.now() - begin < FAULT ? badGateway : answer);
    await delay(FAULT);
    const lost = proxy.refreshes().length;
    console.log(`a minute of lost answers on ${database}: ${lost} of ${GRANTS} grants were spent`);
    expect(lost).toBeLessThanOrEqual(LOST_AT_MOST);
    // Those whose answer was lost are served no more before they are settled.
    await waitForOthers(apps, GRANTS - lost);
    proxy.assertNoRefreshTokenTwice();
    const complaints = [0, 1].map((place) => nth(bridges, place).complaints()).join('');
    expect(complaints.split('ALARM: many answers were lost in a row').length - 1).toBe(1);
  }, 600_000);
});

/** Resolves when so many apps were served; none of them may have been refused for good on the way. */
async function waitForOthers(apps: ReadonlyArray<Promise<number[]>>, others: number): Promise<void> {
  let served = 0;
  const refused: number[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const app of apps)
      app.then((statuses) => {
        refused.push(...statuses.filter((status) => status !== 200 && status !== 503));
        if (statuses.at(-1) === 200) served += 1;
        if (served >= others) resolve();
      }, reject);
    void Promise.allSettled(apps).then(() => resolve());
  });
  expect(refused).toEqual([]);
  expect(served).toBe(others);
}
