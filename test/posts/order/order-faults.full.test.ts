import { setTimeout as delay } from 'node:timers/promises';
import { type Bridges, startBridges } from '../../races/bridges.ts';
import { connectApp, nth } from '../../races/calls.ts';
import {
  type FaultProxy,
  type NetworkFault,
  startFaultProxy,
} from '../../verification/shared/faults/fault-proxy.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { modeDatabases, testMode } from '../../support/jest/test-mode.ts';
import { isWrite } from '../support/bakery.ts';
import { orderOf } from '../support/ordering.ts';
import { type Queue, queueAt } from '../support/queue.ts';

/**
 * Reorders while the network between bridge and new API fails in every way, and while the bridge is killed at each step: no
 * move is sent twice, what is told of the order is so, and the journal says of no move what is not so.
 */

interface Told {
  status: number;
  success: boolean;
  message: string;
  updates: string[] | undefined;
}

interface Body {
  success: boolean;
  message: string;
  updates?: Array<{ id: string }>;
}

const NOTHING: Told = { status: 0, success: false, message: 'nothing', updates: undefined };

async function reorder(url: string, token: string, { channelId, ids }: { channelId: string; ids: string[] }) {
  const form = rawForm(new URLSearchParams(orderOf(ids)).toString(), { authorization: `Bearer ${token}` });
  const path = `/1/profiles/${channelId}/updates/reorder.json`;
  try {
    const { status, json } = await sendRaw(url, { method: 'POST', path, ...form });
    const { success, message, updates } = json as Body;
    return { status, success, message, updates: updates?.map(({ id }) => id) };
  } catch {
    return NOTHING;
  }
}

/** The first answer that is not 503: after a black hole the bridge asks the new API again within seconds (docs/decisions/0025). */
async function reorderAfterOutage(...move: Parameters<typeof reorder>): Promise<Told> {
  const end = performance.now() + 30_000;
  for (;;) {
    const told = await reorder(...move);
    if (told.status !== 503 || performance.now() > end) return told;
    await delay(200);
  }
}

const SETTINGS = { PROFILES_FRESH_SECONDS: '3600', PROFILES_STALE_SECONDS: '86400', LEGACY_RATE_LIMIT: '0' };

/** The moves that the new API heard of, each as its post and its place. */
function movesHeard({ proxy }: Bridges, since: number): string[] {
  const moves = proxy.readings().slice(since).filter(isWrite);
  return moves.map(({ body }) => {
    const { variables } = JSON.parse(body) as { variables: { input: { id: string; position: string } } };
    return `${variables.input.id} ${variables.input.position}`;
  });
}

interface Ground {
  bridges: Bridges;
  queue: Queue;
  token: string;
  /** What callers were told, by status. */
  statuses: Set<number>;
  /** What the last of them was told. */
  last: Told;
}

async function openGround(bridges: Bridges): Promise<Ground> {
  const token = await connectApp(bridges);
  const { context, modernUrl } = bridges;
  return {
    bridges,
    queue: queueAt({ context, apiUrl: modernUrl }),
    token,
    statuses: new Set(),
    last: NOTHING,
  };
}

const rowsOf = ({ bridges: { context } }: Ground) =>
  context.store.durable.selectFrom('post_writes').selectAll().orderBy('id').execute();

/** One reorder of five updates under a fault, and what is wrong with it, in words. */
async function faultsOf(ground: Ground, fault: () => void): Promise<string[]> {
  const { bridges, queue, token } = ground;
  const ids = await queue.fill(5);
  const [rowsBefore, heardBefore] = [(await rowsOf(ground)).length, bridges.proxy.readings().length];
  const wanted = [4, 3, 1, 2, 0].map((place) => ids[place] ?? '');
  fault();
  const told = await reorder(nth(bridges, 0).url, token, { channelId: queue.channelId, ids: wanted });
  ground.statuses.add(told.status);
  ground.last = told;
  return judge(ground, { told, ids, wanted, rowsBefore, heardBefore });
}

interface Case {
  told: Told;
  ids: string[];
  wanted: string[];
  rowsBefore: number;
  heardBefore: number;
}

/** What a caller was told and what is so. */
async function judge(ground: Ground, one: Case): Promise<string[]> {
  const { told, ids, wanted } = one;
  const real = (await ground.queue.order()).join();
  const heard = movesHeard(ground.bridges, one.heardBefore);
  const rows = (await rowsOf(ground)).slice(one.rowsBefore);
  const posts = heard.map((move) => move.split(' ')[0]);
  const isDoubtful = /may have been moved/.test(told.message) || told.status === 0;
  const isUntouched = told.status === 503 && !/moves were made/.test(told.message);
  const lies = rows.filter(({ state, post_id: id }) =>
    posts.includes(id ?? '') ? state === 'refused' : state === 'done' || state === 'found',
  );
  const faults: Array<[boolean, string]> = [
    [new Set(heard).size < heard.length, 'a move was sent twice'],
    [heard.length > rows.length, 'a move has no row'],
    [lies.length > 0, `the journal says ${lies.map(({ state }) => state).join()}`],
    [told.success !== (told.status === 200), 'success is not what the status says'],
    [told.success && real !== wanted.join(), 'the order was told as reached'],
    [told.updates !== undefined && !isDoubtful && told.updates.join() !== real, 'another order was told'],
    [isUntouched && real !== ids.join(), 'it was told as not done'],
    [real.split(',').toSorted().join() !== ids.toSorted().join(), 'updates were lost'],
  ];
  return faults.filter(([isSo]) => isSo).map(([, words]) => `${words}: ${JSON.stringify(told.message)}`);
}

const FAULTS: NetworkFault[] = [
  { kind: 'reset', at: 'open' },
  { kind: 'reset', at: 'request' },
  { kind: 'reset', at: 'answer' },
  { kind: 'cut', direction: 'up', bytes: 120 },
  { kind: 'cut', direction: 'down', bytes: 0 },
  { kind: 'cut', direction: 'down', bytes: 400 },
  { kind: 'latency', ms: 200 },
  { kind: 'slow', slice: 150, pauseMs: 5 },
  { kind: 'black-hole', direction: 'up' },
  { kind: 'black-hole', direction: 'down' },
];

/** Each fault meets one connection, and four; in CI the one or the other. */
const timesOf = (place: number) => (testMode.isBrief ? [place % 2 === 0 ? 1 : 4] : [1, 4]);

describe('on a network that fails', () => {
  let ground: Ground;
  let proxy: FaultProxy;

  beforeAll(async () => {
    const port = await freePort();
    const env = { ...SETTINGS, MODERN_API_URL: `http://127.0.0.1:${port}` };
    const bridges = await startBridges({ count: 1, database: 'sqlite', env });
    proxy = await startFaultProxy(port, Number(new URL(bridges.proxy.origin).port));
    ground = await openGround(bridges);
  });

  afterAll(async () => {
    await proxy.close();
    await ground.bridges.stop();
  });

  afterEach(() => proxy.clear());

  test.each(
    FAULTS.flatMap((fault, place) =>
      timesOf(place).map((times) => [JSON.stringify(fault), times, fault] as const),
    ),
  )('%s on %i connections: no move is sent twice, and what is told is so', async (_name, times, fault) => {
    expect(await faultsOf(ground, () => proxy.inject({ fault, times, beginning: 'POST ' }))).toEqual([]);
    proxy.clear();
    const ids = (await ground.queue.order()).toReversed();
    const again = { channelId: ground.queue.channelId, ids };
    const { url } = nth(ground.bridges, 0);
    expect(await reorderAfterOutage(url, ground.token, again)).toMatchObject({ status: 200, updates: ids });
  });

  async function reorderSlowly(ms: number) {
    const { proxy: seen } = ground.bridges;
    const slow = () => {
      seen.onOtherCall = async (call) => void (isWrite(call) && (await delay(ms)));
    };
    expect(await faultsOf(ground, slow)).toEqual([]);
    seen.onOtherCall = undefined;
  }

  test('a third move begins after nine seconds, for the moves before it are made', async () => {
    await reorderSlowly(4600);
    expect((await rowsOf(ground)).slice(-3).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    expect(ground.last.message).toMatch(/^The updates were reordered/);
  });

  test('a new API that is slow stops the moves while there is time to tell the order', async () => {
    await reorderSlowly(7000);
    const states = (await rowsOf(ground)).slice(-2).map(({ state }) => state);
    expect(states).toEqual(['done', 'done']);
    const { message, updates } = ground.last;
    expect(message).toMatch(/^There was no time left .* again: .* 2 of 3 moves were made\. The order/);
    expect(updates).toHaveLength(5);
  });

  test('some of these reached the order, some did not, and of some nobody knows', () => {
    expect([...ground.statuses].toSorted((a, b) => a - b)).toEqual([200, 500, 503]);
  });
});

type Step = 'before the new API' | 'while the new API works' | 'after the answer';

const STEPS: Step[] = ['before the new API', 'while the new API works', 'after the answer'];

describe.each(modeDatabases)('killed on %s', (database) => {
  let ground: Ground;

  beforeAll(async () => {
    ground = await openGround(await startBridges({ count: 1, database, env: SETTINGS }));
  });

  afterAll(() => ground.bridges.stop());

  /** Kills the bridge at one step of the second move. */
  function killAt(step: Step): void {
    const { bridges } = ground;
    const bridge = nth(bridges, 0);
    let writes = 0;
    const isSecond = (call: { body: string }) => isWrite(call) && writes === 2;
    bridges.proxy.onOtherCall = async (call) => {
      if (isWrite(call)) writes += 1;
      if (!isSecond(call) || step === 'after the answer') return;
      await bridge.kill();
      if (step === 'before the new API') throw new Error('the connection is gone');
    };
    bridges.proxy.onOtherAnswer = async (call, answer) => {
      if (isSecond(call) && step === 'after the answer') await bridge.kill();
      return answer;
    };
  }

  test.each(STEPS)('%s: no move is made twice, and the same call again goes on', async (step) => {
    const { bridges, queue, token } = ground;
    const ids = await queue.fill(4);
    const before = (await rowsOf(ground)).length;
    killAt(step);
    const wanted = { channelId: queue.channelId, ids: ids.toReversed() };
    expect(await reorder(nth(bridges, 0).url, token, wanted)).toEqual(NOTHING);
    bridges.proxy.onOtherCall = undefined;
    bridges.proxy.onOtherAnswer = undefined;
    const rows = (await rowsOf(ground)).slice(before);
    expect(rows.map(({ state }) => state)).toEqual(['done', 'sending']);
    expect((await queue.order()).toSorted()).toEqual(ids.toSorted());
    await nth(bridges, 0).start();
    const again = await reorder(nth(bridges, 0).url, token, wanted);
    expect([again.status, again.updates, await queue.order()]).toEqual([200, wanted.ids, wanted.ids]);
  });
});
