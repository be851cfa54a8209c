import { LRUCache } from 'lru-cache';
import { UPDATE_IDS_SEEN_EVERY } from '../../../shared/lifetimes.ts';
import type { LearnedUpdate } from '../../../store/tables/posts.ts';
import {
  findToldPosts,
  findUpdatesOfPosts,
  hasLearnedUpdates,
  hasSameIds,
  keepToldPosts,
  pairUpdate,
  type IdRecipient,
} from '../../../store/posts/update-ids.ts';
import type { Post } from '../../../upstream/posts/post.ts';
import type { PostsDeps } from '../deps.ts';
import { type LegacyIds, meantChannel } from '../../ids/legacy-ids.ts';
import { oldBackendUntilRetired } from '../../lifecycle/old-backend-for.ts';
import type { ServedMapping } from '../../tokens/resolve-token.ts';
import { provenApp } from '../../tokens/proven-app.ts';
import { keepAsTheyAre } from '../../ids/updates/learned-update.ts';
import { looksAlike, textOfUpdate } from '../../ids/updates/update-matches.ts';
import { madeOnce } from '../../../shared/memory/made-once.ts';

/**
 * Chooses the id that an app sees for a post: always the first id that the app was told. A post that the old API has
 * shown to the account keeps its old id, unless the app was told the new id before.
 */

/** The ids that this process has told. An entry expires, and a new lookup renews its row: unused rows are deleted. */
const REMEMBERED = { max: 50_000, ttl: UPDATE_IDS_SEEN_EVERY };

const memories = new WeakMap<PostsDeps, LRUCache<string, string>>();

function memoryOf(context: PostsDeps): LRUCache<string, string> {
  const perf = { now: () => context.clock.elapsed() };
  return madeOnce(memories, context, () => new LRUCache<string, string>({ ...REMEMBERED, perf }));
}

/** The told ids by the post ids of the new API. A post without an entry has its own id. */
export type UpdateIds = ReadonlyMap<string, string>;

const NO_OTHER_IDS: UpdateIds = new Map();

/** The token of the caller, with the profile ids that its app knows. */
export interface CallerIds {
  mapping: ServedMapping;
  ids: LegacyIds;
}

interface Lookup extends CallerIds {
  app: IdRecipient;
  posts: readonly Post[];
  digests: ReadonlyMap<string, readonly string[]>;
  /** Asks the database once, after the ids of these posts were recorded. */
  hasSameIds: () => Promise<boolean>;
}

const appOf = ({ client_id: clientId, account_id: accountId }: ServedMapping): IdRecipient => ({
  clientId,
  accountId,
});

/**
 * The only update in `rows` that a post looks like, in its channel. Undefined where two updates look alike: the right
 * one is then unknown.
 */
async function alikeUpdate(
  context: PostsDeps,
  { ids, posts, digests }: Lookup,
  { post, rows }: { post: Post; rows: readonly LearnedUpdate[] },
): Promise<LearnedUpdate | undefined> {
  const digestsOf = ({ id }: Post) => digests.get(id) ?? [];
  const alike: LearnedUpdate[] = [];
  for (const row of rows.filter((one) => looksAlike(one, post, digestsOf(post))))
    if ((await meantChannel(context, ids, row.profile_id)) === post.channelId) alike.push(row);
  const [row, another] = alike;
  if (!row || another || row.post_id !== null) return undefined;
  const ofChannel = posts.filter(({ channelId }) => channelId === post.channelId);
  const isAlone = ofChannel.filter((one) => looksAlike(row, one, digestsOf(one))).length === 1;
  return isAlone ? row : undefined;
}

async function toldByOldApi(
  context: PostsDeps,
  lookup: Lookup,
  { post, rows }: { post: Post; rows: readonly LearnedUpdate[] },
): Promise<string | undefined> {
  if (rows.some(({ old_id: oldId }) => oldId === post.id)) return post.id;
  const paired = rows.find((row) => row.post_id === post.id);
  const row = paired ?? (await alikeUpdate(context, lookup, { post, rows }));
  if (!row || (await lookup.hasSameIds())) return undefined;
  const now = context.clock.now();
  const isUsed = paired !== undefined && paired.seen_at >= now - UPDATE_IDS_SEEN_EVERY;
  const isPair = isUsed || (await pairUpdate(context.store.durable, row, { postId: post.id, now }));
  return isPair ? row.old_id : undefined;
}

/** Whether another id of a post could appear later. Only then is a told id stored for the first time. */
const mayBeLearned = (context: PostsDeps, mapping: ServedMapping) =>
  oldBackendUntilRetired(context, provenApp(mapping)) !== undefined;

interface OwnIds {
  ids: readonly string[];
  told: { has(id: string): boolean };
}

/** Keeps that these ids were told. One that was told before is kept on: another app may know the post by its old id. */
async function keepTold(context: PostsDeps, { mapping, app }: Lookup, { ids, told }: OwnIds) {
  const postIds = mayBeLearned(context, mapping) ? ids : ids.filter((id) => told.has(id));
  if (postIds.length === 0) return;
  await keepToldPosts(context.store.durable, app, { postIds, now: context.clock.now() });
}

async function lookUp(context: PostsDeps, lookup: Lookup): Promise<Map<string, string>> {
  const { app, posts, digests } = lookup;
  const { durable } = context.store;
  const postIds = posts.map(({ id }) => id);
  const of = { accountId: app.accountId, postIds, digests: [...digests.values()].flat() };
  const rows = await findUpdatesOfPosts(durable, of);
  await keepAsTheyAre(
    context,
    rows.filter(({ old_id: oldId }) => postIds.includes(oldId)),
  );
  const told = await findToldPosts(durable, app, postIds);
  const ids = new Map<string, string>();
  for (const post of posts) {
    const known = told.has(post.id) ? undefined : await toldByOldApi(context, lookup, { post, rows });
    ids.set(post.id, known ?? post.id);
  }
  const isOwn = (id: string) => ids.get(id) === id && !rows.some(({ old_id: oldId }) => oldId === id);
  await keepTold(context, lookup, { ids: postIds.filter(isOwn), told });
  return ids;
}

function lookupOf({ vault, store }: PostsDeps, told: CallerIds, posts: readonly Post[]): Lookup {
  const app = appOf(told.mapping);
  const digests = new Map(
    posts.map(({ id, text }) => [id, vault.digests(textOfUpdate(app.accountId, text))] as const),
  );
  let known: Promise<boolean> | undefined;
  const ask = () => (known ??= hasSameIds(store.durable, app.accountId));
  return { ...told, app, posts, digests, hasSameIds: ask };
}

/** The ids that the app sees for these posts. The ids are stored before the answer leaves. */
export async function updateIdsFor(
  context: PostsDeps,
  told: CallerIds,
  posts: readonly Post[],
): Promise<UpdateIds> {
  const { mapping } = told;
  const { clientId, accountId } = appOf(mapping);
  // The most frequent case: the old API is gone, and has shown no update of the account. Every post has its own id.
  if (!mayBeLearned(context, mapping) && !(await hasLearnedUpdates(context.store, accountId)))
    return NO_OTHER_IDS;
  const memory = memoryOf(context);
  const keyOf = (id: string) => `${clientId} ${accountId} ${id}`;
  const ids = new Map(posts.map(({ id }) => [id, memory.get(keyOf(id))]));
  const unknown = posts.filter(({ id }) => ids.get(id) === undefined);
  const found = unknown.length === 0 ? new Map() : await lookUp(context, lookupOf(context, told, unknown));
  for (const [id, toldId] of found) memory.set(keyOf(id), toldId);
  return new Map([...ids].map(([id, toldId]) => [id, toldId ?? found.get(id) ?? id]));
}

/** As `updateIdsFor`, for a write that is done: the answer does not fail if the ids cannot be read. */
export async function updateIdsAfterWrite(
  context: PostsDeps,
  told: CallerIds,
  posts: readonly Post[],
): Promise<UpdateIds> {
  try {
    return await updateIdsFor(context, told, posts);
  } catch (error) {
    context.logger.warn('the known ids of updates could not be read, so an app gets ids of the new API', {
      error,
    });
    return new Map();
  }
}
