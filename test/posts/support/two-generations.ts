import { newHexId } from '../../../src/shared/ids.ts';
import type { Connected } from '../../endpoints/support/connected.ts';
import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { knock } from '../../endpoints/support/knock.ts';
import { until } from '../../support/servers/held-answer.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { rawForm } from '../../support/callers/raw-request.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { mappingOf } from '../../support/bridge/waiting-token.ts';
import { BAKERY, realPosts } from './posts.ts';
import { runningQueue } from './queue.ts';
import { CHANNEL, connectReader, idsOf, isoIn, type Reader, TWITTER } from './reader.ts';

/** One app and account at both APIs: what the old API shows of updates, and who answers the app's calls. */

export const DAY = 86_400_000;
export const JSON_TYPE = ['Content-Type', 'application/json'];

export const clock = new SettableClock();
export const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [], updates: [] };
export let old: OldBackend;
export let door: Door;
export let reader: Reader;

export const durable = () => door.bridge.context.store.durable;
export const learned = () => durable().selectFrom('learned_updates').selectAll().orderBy('seen_at').execute();
export const told = () => durable().selectFrom('told_posts').selectAll().execute();

/** Who answers the token's calls from now on. */
export async function answeredBy(
  side: 'old' | 'new',
  { token }: Pick<Reader, 'token'> = reader,
): Promise<void> {
  const { id } = (await mappingOf(door.bridge, token))!;
  const refused = side === 'new' ? clock.now() : null;
  await durable()
    .updateTable('mappings')
    .set({ source: 'imported', refused_there_at: refused })
    .where('id', '=', id)
    .execute();
}

let made = 0;

export interface Post {
  id: string;
  text: string;
  dueAt: string;
}

/** A post at the new API, of a text and time that no other has. */
export async function makePost(given: Partial<Post> & { channelId?: string } = {}): Promise<Post> {
  made += 1;
  const post = { text: `Text ${made}`, dueAt: isoIn(DAY * (30 + made)), ...given };
  const id = await reader.create({ mode: 'customScheduled', ...post });
  return { ...post, id };
}

/** A post that waits in a queue, which is emptied before. */
export async function makeQueued(): Promise<Post & { channelId: string }> {
  made += 1;
  const queue = await runningQueue({ system: door });
  const text = `Text ${made}`;
  const id = await queue.add({ text });
  const where = { apiUrl: door.proxy.origin, since: 0, organizationId: BAKERY };
  const real = (await realPosts(door.bridge.context, where)).find((one) => one.id === id);
  return { id, text, channelId: queue.channelId, dueAt: real?.dueAt ?? '' };
}

/** The same post as the old API shows it; under an id of its own unless it has the new one. */
export function oldOf({ text, dueAt }: Post, id = newHexId(), profileId = CHANNEL) {
  const due = Math.floor(Date.parse(dueAt) / 1000);
  return { id, profile_id: profileId, status: 'buffer', text, due_at: due };
}

export type OldUpdate = ReturnType<typeof oldOf>;

export async function untilLearned(...updates: OldUpdate[]): Promise<void> {
  await until(async () => {
    const known = new Set((await learned()).map((row) => row.old_id));
    return updates.every(({ id }) => known.has(id));
  });
}

/** The old API lists these, and answers the app so. */
export async function learn(...updates: OldUpdate[]): Promise<void> {
  account.updates = [...(account.updates ?? []), ...updates];
  for (const profileId of new Set(updates.map((one) => one.profile_id)))
    await reader.list('pending.json', profileId);
  await untilLearned(...updates);
}

export const get = (id: string) => reader.get(`/1/updates/${id}.json`);
export const pendingIds = async () => idsOf(await reader.list('pending.json?count=100'));

export const post = (path: string, fields: Record<string, string> = {}, { token }: Connected = reader) =>
  knock(door, {
    method: 'POST',
    path: `/1/${path}`,
    ...rawForm(new URLSearchParams(fields).toString(), { authorization: `Bearer ${token}` }),
  });

/** What the new API was asked to write while `work` ran. */
export async function writes(work: () => Promise<unknown>): Promise<string[]> {
  const before = door.proxy.readings().length;
  await work();
  const bodies = door.proxy.readings().slice(before);
  return bodies.flatMap(({ body }) => /written: (\w+)/.exec(body)?.[1] ?? []);
}

/** One for all tests of a file; each begins with nothing learned, and with the old API. */
export function withTwoGenerations(): void {
  beforeAll(async () => {
    old = await startOldBackend({ accounts: [account] });
    door = await openDoor({ clock, accessTokenSeconds: 400 * 86_400, env: { LEGACY_BACKEND_URL: old.url } });
    reader = await connectReader(door);
    account.tokens.push(reader.token);
    account.profiles = [CHANNEL, TWITTER].map((id) => ({ id, service: 'threads', service_id: id }));
  });

  afterAll(async () => {
    await door.stop();
    await old.close();
  });

  beforeEach(async () => {
    await durable().deleteFrom('learned_updates').execute();
    await durable().deleteFrom('told_posts').execute();
    await old.setBehaviour('normal');
    account.updates = [];
    // Posts are made past the bridge, which would answer from what it keeps.
    clock.advance(61_000);
    await answeredBy('old');
  });
}
