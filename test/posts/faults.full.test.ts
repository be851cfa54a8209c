import type { PostWriteRow } from '../../src/store/posts/tables.ts';
import { settleWrites } from '../../src/domain/posts/writes/settle-writes.ts';
import { type FaultProxy, type NetworkFault, startFaultProxy } from '../campaign/fault-proxy.ts';
import { connectApp, nth } from '../races/calls.ts';
import { type Bridges, startBridges } from '../races/bridges.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/held-answer.ts';
import { rawForm, sendRaw } from '../support/raw-request.ts';
import { modeDatabases } from '../support/test-mode.ts';
import { isWrite } from './support/bakery.ts';
import { BAKERY, CHANNELS, realPosts } from './support/posts.ts';

/**
 * Creates while the network between bridge and new API fails in every way, and while the bridge is killed at each step:
 * each post is made at most once, none is there that its caller was told failed, and the journal says in the end what is
 * really there. Only a request that the network itself delivers twice makes two posts.
 */

/** What the caller of one create was told. */
interface Told {
  text: string;
  what: 'posted' | 'failed' | 'in doubt' | 'nothing';
  postId: string | undefined;
}

interface Answer {
  success: boolean;
  message: string;
  updates?: Array<{ id: string }>;
}

function toldOf(text: string, status: number, { success, message, updates }: Answer): Told {
  if (status === 200 && success) return { text, what: 'posted', postId: updates?.[0]?.id };
  const what = message.includes('may have been posted') ? 'in doubt' : 'failed';
  return { text, what, postId: undefined };
}

let made = 0;

/** A draft, for the networks bound how many posts of a day there may be. */
async function create(bridgeUrl: string, token: string): Promise<Told> {
  made += 1;
  const text = `Crumb ${made}`;
  const fields = new URLSearchParams({ 'profile_ids[]': CHANNELS.twitter, text, is_draft: 'true' });
  const request = rawForm(fields.toString(), { authorization: `Bearer ${token}` });
  try {
    const { status, json } = await sendRaw(bridgeUrl, {
      method: 'POST',
      path: '/1/updates/create.json',
      ...request,
    });
    return toldOf(text, status, json as Answer);
  } catch {
    return { text, what: 'nothing', postId: undefined };
  }
}

/** The ids of the posts that are really there, by text. */
async function idsByText({ context, modernUrl }: Bridges): Promise<Map<string, string[]>> {
  const posts = await realPosts(context, { apiUrl: modernUrl, since: 0, organizationId: BAKERY });
  const ids = new Map<string, string[]>();
  for (const { text, id } of posts) ids.set(text, [...(ids.get(text) ?? []), id]);
  return ids;
}

const STEP = 5000;

/** The last look at a write is over by then, also at one whose process died. */
const ALL_LOOKED = 20 * 60_000;

/**
 * Whether a write is still looked for. Where more posts than a look reads were made in the same seconds, nobody can tell
 * that one is not there: such a write stays in doubt.
 */
const isLookedFor = ({ state, next_look_at: nextLookAt }: PostWriteRow) =>
  state === 'sending' || (state === 'in_doubt' && nextLookAt !== null);

/** Looks for open writes as the job will when so much more time has passed; the bridge itself may be looking too. */
async function lookAfter({ context }: Bridges, ms: number): Promise<boolean> {
  const { clock, store } = context;
  const later = { now: () => clock.now() + ms, elapsed: () => clock.elapsed(), wall: () => clock.wall() };
  await settleWrites({ ...context, clock: later });
  const rows = await store.durable.selectFrom('post_writes').selectAll().execute();
  return rows.some(isLookedFor);
}

/** What is there is found; what is not is given up when its time is over. */
async function settleAll(bridges: Bridges): Promise<void> {
  for (let ms = 0; ms <= ALL_LOOKED; ms += STEP) if (!(await lookAfter(bridges, ms))) return;
  throw new Error('a write is open after its last look');
}

/** What is wrong, in words; none where everything is right. `mostly` is how often a post may be there. */
function faultsOf(told: readonly Told[], ids: Map<string, string[]>, mostly: number): string[] {
  return told.flatMap(({ text, what, postId }) => {
    const there = ids.get(text) ?? [];
    return [
      ...(there.length > mostly ? [`${text} was made ${there.length} times`] : []),
      ...(what === 'failed' && there.length > 0 ? [`${text} is there, and was told as failed`] : []),
      ...(what === 'posted' && !there.includes(postId ?? '') ? [`${text} was told as posted`] : []),
    ];
  });
}

/** Where the journal says something else than what is there. */
async function lies({ context }: Bridges, ids: Map<string, string[]>): Promise<string[]> {
  const there = new Set([...ids.values()].flat());
  const rows = await context.store.durable.selectFrom('post_writes').selectAll().execute();
  const open = rows.filter(isLookedFor);
  const wrong = rows.filter(({ state, post_id: id }) =>
    state === 'done' || state === 'found' ? !there.has(id ?? '') : id !== null,
  );
  const known = new Set(rows.map(({ post_id: id }) => id));
  const strange = [...ids].filter(
    ([text, own]) => text.startsWith('Crumb') && !own.every((id) => known.has(id)),
  );
  return [
    ...[...open, ...wrong].map(({ id, state }) => `the row ${id} is ${state}`),
    ...strange.map(([text]) => `no row knows of ${text}`),
  ];
}

const SETTINGS = { PROFILES_FRESH_SECONDS: '3600', PROFILES_STALE_SECONDS: '86400' };

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

/** Of each fault; with the faults above a hundred creates. */
const CREATES = 10;

describe('on a network that fails', () => {
  let bridges: Bridges;
  let proxy: FaultProxy;
  let token: string;

  beforeAll(async () => {
    const port = await freePort();
    const env = { ...SETTINGS, MODERN_API_URL: `http://127.0.0.1:${port}` };
    bridges = await startBridges({ count: 1, database: 'sqlite', env });
    proxy = await startFaultProxy(port, Number(new URL(bridges.modernUrl).port));
    token = await connectApp(bridges);
    await create(nth(bridges, 0).url, token);
  });

  afterAll(async () => {
    await proxy.close();
    await bridges.stop();
  });

  afterEach(() => proxy.clear());

  async function createMany(fault: NetworkFault): Promise<Told[]> {
    proxy.inject({ fault, times: CREATES, beginning: 'POST ' });
    const { url } = nth(bridges, 0);
    return Promise.all(Array.from({ length: CREATES }, () => create(url, token)));
  }

  test('no post is made twice, and none is there that was told as failed', async () => {
    const told: Told[] = [];
    for (const fault of FAULTS) told.push(...(await createMany(fault)));
    proxy.clear();
    await settleAll(bridges);
    const ids = await idsByText(bridges);
    expect(told).toHaveLength(CREATES * FAULTS.length);
    expect(faultsOf(told, ids, 1)).toEqual([]);
    expect(await lies(bridges, ids)).toEqual([]);
    expect(new Set(told.map(({ what }) => what))).toEqual(new Set(['posted', 'in doubt', 'failed']));
  });

  test('a request that the network delivers twice makes two posts, which this test sees', async () => {
    const told = await createMany({ kind: 'duplicate' });
    proxy.clear();
    // The second delivery may be carried out after the first was answered.
    let ids = await idsByText(bridges);
    const twice = () => told.filter(({ text }) => ids.get(text)?.length === 2).length;
    await until(async () => {
      ids = await idsByText(bridges);
      return twice() === (proxy.met.get('duplicate') ?? 0);
    });
    expect(twice()).toBeGreaterThan(0);
    expect(faultsOf(told, ids, 2)).toEqual([]);
  });
});

type Hook = 'before the new API' | 'while the new API works' | 'after the answer' | 'at any moment';

const STEPS: Hook[] = ['before the new API', 'while the new API works', 'after the answer', 'at any moment'];

const KILLS = 3;

describe.each(modeDatabases)('killed on %s', (database) => {
  let bridges: Bridges;
  let token: string;

  beforeAll(async () => {
    bridges = await startBridges({ count: 1, database, env: SETTINGS });
    token = await connectApp(bridges);
    await create(nth(bridges, 0).url, token);
  });

  afterAll(() => bridges.stop());

  afterEach(() => {
    bridges.proxy.onOtherCall = undefined;
    bridges.proxy.onOtherAnswer = undefined;
  });

  /** Kills the bridge at one step of the next write. */
  function killAt(step: Hook): void {
    const bridge = nth(bridges, 0);
    if (step === 'at any moment') setTimeout(() => void bridge.kill(), Math.random() * 40);
    bridges.proxy.onOtherCall = async (call) => {
      if (!isWrite(call)) return;
      if (step === 'before the new API') {
        await bridge.kill();
        throw new Error('the connection is gone');
      }
      if (step === 'while the new API works') await bridge.kill();
    };
    bridges.proxy.onOtherAnswer = async (call, answer) => {
      if (isWrite(call) && step === 'after the answer') await bridge.kill();
      return answer;
    };
  }

  test.each(STEPS)('%s: each post is made at most once, and the journal finds out', async (step) => {
    const told: Told[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      killAt(step);
      told.push(await create(nth(bridges, 0).url, token));
      if (nth(bridges, 0).isRunning()) await nth(bridges, 0).kill();
      await nth(bridges, 0).start();
    }
    await settleAll(bridges);
    const ids = await idsByText(bridges);
    expect(faultsOf(told, ids, 1)).toEqual([]);
    expect(await lies(bridges, ids)).toEqual([]);
  });
});
