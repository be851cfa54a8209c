import { settleWrites } from '../../../src/domain/posts/writes/settle-writes.ts';
import type { PostWriteRow } from '../../../src/store/tables/posts.ts';
import { type FaultProxy, startFaultProxy } from '../../verification/shared/faults/fault-proxy.ts';
import { type Bridges, type BridgesOptions, startBridges } from '../../races/bridges.ts';
import { connectApp } from '../../races/calls.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { BAKERY, CHANNELS, type RealPost, realPosts, RUNNERS } from './posts.ts';

/** Writes of an old client while the network fails, what their callers are told, and what is really there. */

/** What the caller of one create was told. */
export interface Told {
  text: string;
  what: 'posted' | 'failed' | 'in doubt' | 'nothing';
  postId: string | undefined;
}

interface Answer {
  success?: boolean;
  message?: string;
  updates?: Array<{ id: string }>;
}

/** What an answer to a write says; nobody takes `may have been` for a failure. */
export function whatWasTold({ status, json }: RawAnswer): Told['what'] {
  const { success, message } = json as Answer;
  if (status === 200 && success !== false) return 'posted';
  return message?.includes('may have been') ? 'in doubt' : 'failed';
}

export interface Stage {
  bridges: Bridges;
  proxy: FaultProxy;
  token: string;
  stop(): Promise<void>;
}

/** Makes the bridges wrong in the way that the environment names (sabotaged-writes.long.test.ts). */
function sabotageSettings(): Record<string, string> {
  const { WRITE_SABOTAGE } = process.env;
  if (WRITE_SABOTAGE === undefined) return {};
  const program = new URL('../programs/sabotaged-writes.mjs', import.meta.url).href;
  return { WRITE_SABOTAGE, NODE_OPTIONS: `--import ${program}` };
}

/** The account is read once, so that each write but a move is one request; nothing else disturbs the network. */
const SETTINGS = { PROFILES_FRESH_SECONDS: '3600', PROFILES_STALE_SECONDS: '86400' };

/** Bridges whose way to the new API leads through a network that fails, and the token of an old client. */
export async function openStage(
  options: BridgesOptions & {
    /** Whether what comes through that network passes the recording proxy too, which can hold answers. */
    isRecorded?: boolean;
  },
): Promise<Stage> {
  const port = await freePort();
  const env = {
    ...SETTINGS,
    ...sabotageSettings(),
    MODERN_API_URL: `http://127.0.0.1:${port}`,
    ...options.env,
  };
  const bridges = await startBridges({ ...options, env });
  const target = options.isRecorded ? bridges.proxy.origin : bridges.modernUrl;
  const proxy = await startFaultProxy(port, Number(new URL(target).port));
  const token = await connectApp(bridges);
  const stage = {
    bridges,
    proxy,
    token,
    stop: async () => {
      await proxy.close();
      await bridges.stop();
    },
  };
  for (const { url } of bridges.processes) await create(stage, url, { text: 'The account is known' });
  return stage;
}

interface Post {
  text: string;
  profileId?: string;
  fields?: Record<string, string>;
}

/** Calls an address below /1 with a form. @throws {Error} the connection ended without an answer */
export function call({ token }: Stage, url: string, path: string, fields: Record<string, string> = {}) {
  const request = rawForm(new URLSearchParams(fields).toString(), { authorization: `Bearer ${token}` });
  return sendRaw(url, { method: 'POST', path: `/1/${path}.json`, ...request });
}

/** Makes one post through one of the processes; a draft, unless the fields say when it is due. */
export async function create(stage: Stage, url: string, post: Post): Promise<Told> {
  const { text, profileId = CHANNELS.twitter, fields = { is_draft: 'true' } } = post;
  try {
    const answer = await call(stage, url, 'updates/create', { 'profile_ids[]': profileId, text, ...fields });
    const { updates } = answer.json as Answer;
    return { text, what: whatWasTold(answer), postId: updates?.[0]?.id };
  } catch {
    return { text, what: 'nothing', postId: undefined };
  }
}

/** Every post that is really there. */
export async function allPosts({ bridges: { context, modernUrl } }: Stage): Promise<RealPost[]> {
  const lists = await Promise.all(
    [BAKERY, RUNNERS].map((organizationId) =>
      realPosts(context, { apiUrl: modernUrl, since: 0, organizationId }),
    ),
  );
  return lists.flat();
}

/** The ids of the posts that are really there, by text. */
export async function idsByText(stage: Stage): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (const { text, id } of await allPosts(stage)) ids.set(text, [...(ids.get(text) ?? []), id]);
  return ids;
}

export function journal({ bridges: { context } }: Stage): Promise<PostWriteRow[]> {
  return context.store.durable.selectFrom('post_writes').selectAll().orderBy('sent_at').execute();
}

/** What the journal has from now on; the ids of one second stand in no order where several processes wrote. */
export async function newRowsOf(stage: Stage): Promise<() => Promise<PostWriteRow[]>> {
  const known = new Set((await journal(stage)).map(({ id }) => id));
  return async () => (await journal(stage)).filter(({ id }) => !known.has(id));
}

const STEP = 5000;

/** The last look at a write is over by then, also at one whose process died. */
const ALL_LOOKED = 20 * 60_000;

/** Whether a write is still looked for; one whose last look was unclear stays in doubt. */
const isLookedFor = ({ state, next_look_at: nextLookAt }: PostWriteRow) =>
  state === 'sending' || (state === 'in_doubt' && nextLookAt !== null);

/** Looks for open writes as the job will when so much more time has passed; the bridge itself may be looking too. */
async function lookAfter(stage: Stage, ms: number): Promise<boolean> {
  const { context } = stage.bridges;
  const { clock } = context;
  const later = { now: () => clock.now() + ms, elapsed: () => clock.elapsed(), wall: () => clock.wall() };
  await settleWrites({ ...context, clock: later });
  return (await journal(stage)).some(isLookedFor);
}

/** What is there is found; what is not is given up when its time is over. */
export async function settleAll(stage: Stage): Promise<void> {
  for (let ms = 0; ms <= ALL_LOOKED; ms += STEP) if (!(await lookAfter(stage, ms))) return;
  throw new Error('a write is open after its last look');
}

/** What is wrong, in words; none where everything is right. `mostly` is how often a post may be there. */
export function faultsOf(
  told: readonly Told[],
  ids: ReadonlyMap<string, string[]>,
  mostly: number,
): string[] {
  return told.flatMap(({ text, what, postId }) => {
    const there = ids.get(text) ?? [];
    return [
      ...(there.length > mostly ? [`${text} was made ${there.length} times`] : []),
      ...(what === 'failed' && there.length > 0 ? [`${text} is there, and was told as failed`] : []),
      ...(what === 'posted' && !there.includes(postId ?? '') ? [`${text} was told as posted`] : []),
    ];
  });
}

/** Where the journal of creates says something else than what is there. */
export async function lies(stage: Stage, ids: ReadonlyMap<string, string[]>): Promise<string[]> {
  const there = new Set([...ids.values()].flat());
  const rows = await journal(stage);
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
