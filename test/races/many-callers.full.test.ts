import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { LegacyApp } from '../support/callers/authorize.ts';
import type { BridgeProcess } from '../support/bridge/bridge-process.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import { type Bridges, startBridges } from './bridges.ts';
import { burst, connectApp, expireGrants, nth, print, readAt } from './calls.ts';

/** Many callers of grants that have expired, at many processes on one database. */

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

describe.each(modeDatabases)('one expired grant, on %s', (database) => {
  let bridges: Bridges;
  beforeAll(async () => {
    bridges = await startBridges({ count: 8, database });
  });
  afterAll(() => bridges.stop());

  test('4,000 calls at eight processes cause one token request, and every caller is answered', async () => {
    const token = await connectApp(bridges);
    bridges.proxy.onTokenAnswer = async (_call, answer) => {
      // Long enough for callers at every process to wait for it.
      await delay(300);
      return answer;
    };
    await expireGrants(bridges);
    const before = bridges.proxy.refreshes().length;
    const load = { calls: 500, atOnce: 50 };
    const bursts = await Promise.all(bridges.processes.map((each) => burst(each, token, load)));
    expect([...new Set(bursts.flatMap(({ statuses }) => [...statuses]))]).toEqual([200]);
    expect(bridges.proxy.refreshes().length - before).toBe(1);
    const waits = bursts.flatMap((each) => each.waits);
    expect(waits).toHaveLength(4000);
    const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)].map(Math.round);
    print(`${database}: 4000 calls, 1 token request, wait p50 ${p50} ms, p99 ${p99} ms`);
    bridges.proxy.assertNoRefreshTokenTwice();
  });
});

/** Calls until it is served, as a caller does that is told when to come again: a loaded machine may take its time. */
async function readUntilServed(bridge: BridgeProcess, token: string): Promise<number> {
  const end = Date.now() + 60_000;
  for (;;) {
    const { status, headers } = await readAt(bridge, token);
    if (status !== 503 || Date.now() > end) return status;
    await delay(Number(headers['retry-after']) * 1000);
  }
}

const statusesOf = async (calls: Array<Promise<number>>) => [...new Set(await Promise.all(calls))];

/** Fewer than the decisions that one network address may make in a minute. */
const GRANTS = 140;

/** The cap of one process on exchanges with the authorization server (src/upstream/token-endpoint-limit.ts). */
const AT_ONCE = 16;

interface TokenRequests {
  underWay: number;
  /** The most that were ever under way at the same moment. */
  most: number;
  /** Lets those that wait have their answers, and later ones too. */
  letGo(): void;
}

/** Counts the token requests that are under way, and keeps their answers until they are let go. */
function holdTokenRequests({ proxy }: Bridges): TokenRequests {
  const gate = new EventEmitter().setMaxListeners(0);
  let isOpen = false;
  const requests: TokenRequests = {
    underWay: 0,
    most: 0,
    letGo() {
      isOpen = true;
      gate.emit('open');
    },
  };
  proxy.onTokenCall = () => {
    requests.underWay += 1;
    requests.most = Math.max(requests.most, requests.underWay);
  };
  proxy.onTokenAnswer = async (_call, answer) => {
    if (!isOpen) await once(gate, 'open');
    requests.underWay -= 1;
    return answer;
  };
  return requests;
}

/** So many answers of the last seconds show that all may go at once. */
const GOOD_LATELY = 5;

/** However long this machine takes: their answers are as good as new. */
async function keepWarm({ context }: Bridges, clientIds: readonly string[]): Promise<void> {
  await context.store.durable
    .updateTable('grants')
    .set({ rotated_at: context.clock.now() })
    .where('client_id', 'in', clientIds)
    .execute();
}

/** Waits until that many are under way, and some time more for one too many. */
async function expectUnderWay(
  requests: TokenRequests,
  count: number,
  warm: () => Promise<void>,
): Promise<void> {
  await until(async () => {
    await warm();
    return requests.underWay >= count;
  });
  await delay(500);
  expect(requests.underWay).toBe(count);
}

describe.each(modeDatabases)(`${GRANTS} grants that expire in the same second, on %s`, (database) => {
  let bridges: Bridges;
  const tokens: string[] = [];
  const apps: LegacyApp[] = [];
  beforeAll(async () => {
    bridges = await startBridges({ count: 2, database });
    const browser = new CookieWalker();
    while (apps.length < GRANTS) apps.push(await bridges.registerApp());
    for (const app of apps) tokens.push(await connectApp(bridges, app, browser));
  });
  afterAll(() => bridges.stop());

  test('are refreshed once each, all callers are answered, and no process asks for more than 16 at once', async () => {
    await expireGrants(bridges);
    const before = bridges.proxy.refreshes().length;
    const [warm, alone, shared] = [
      tokens.slice(0, GOOD_LATELY),
      tokens.slice(GOOD_LATELY, 60),
      tokens.slice(60),
    ];
    expect(await statusesOf(warm.map((token) => readUntilServed(nth(bridges, 0), token)))).toEqual([200]);
    const clientIds = apps.slice(0, GOOD_LATELY).map(({ clientId }) => clientId);
    const warmUp = () => keepWarm(bridges, clientIds);
    await warmUp();
    const ofOne = holdTokenRequests(bridges);
    const atFirst = alone.map((token) => readUntilServed(nth(bridges, 0), token));
    await expectUnderWay(ofOne, AT_ONCE, warmUp);
    ofOne.letGo();
    expect(await statusesOf(atFirst)).toEqual([200]);
    expect(ofOne.most).toBe(AT_ONCE);

    const ofBoth = holdTokenRequests(bridges);
    const byTurns = (wanted: readonly string[], shift: number) =>
      wanted.map((token, index) => readUntilServed(nth(bridges, (index + shift) % 2), token));
    const atBoth = [...byTurns(shared, 0), ...byTurns(shared.slice(0, 40), 1)];
    await expectUnderWay(ofBoth, 2 * AT_ONCE, warmUp);
    ofBoth.letGo();
    expect(await statusesOf(atBoth)).toEqual([200]);
    expect(ofBoth.most).toBe(2 * AT_ONCE);
    expect(bridges.proxy.refreshes().length - before).toBe(GRANTS);
    bridges.proxy.assertNoRefreshTokenTwice();
    print(`${database}: ${GRANTS} token requests for ${GRANTS} grants, ${ofOne.most} at once by one process`);
  });
});
