import { settleWrites } from '../../../src/domain/posts/writes/settle-writes.ts';
import type { PostWriteRow } from '../../../src/store/tables/posts.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import type { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { BAKERY, CHANNELS, type RealPost, realPosts } from './posts.ts';

/** A whole system with one token, whose writes can go wrong on the way to the new API and back. */

/** What a call that writes is answered. */
interface Told {
  success: boolean;
  message: string;
  error?: string;
  code?: number;
  link?: string;
  updates?: Array<Record<string, unknown> & { id: string }>;
  update?: Record<string, unknown> & { id: string };
}

type ToldAnswer = RawAnswer & { json: Told };

export interface Bakery {
  system: System;
  token: string;
  /** Calls an address below /1 with a form. */
  post(path: string, fields?: ReadonlyArray<[string, string]>): Promise<ToldAnswer>;
  create(text: string, ids?: readonly string[]): Promise<ToldAnswer>;
  /** What is really there of a text. */
  made(text: string): Promise<RealPost[]>;
  rows(): Promise<PostWriteRow[]>;
  /** Makes the writes in doubt as old as if so much time had passed, and looks for them as the jobs do. */
  lookAfter(ms: number): Promise<void>;
  /** Cuts the next writes before the new API hears of them. */
  cutBefore(times: number): void;
  /** Does something to the answers of the next writes. */
  onWrites(times: number, fault: (answer: Answer) => Answer): void;
  /** Answers the next write in the new API's place. */
  instead(answer: Answer): void;
  mend(): void;
}

/** Whether a request to the new API is one of the bridge's writes. */
export const isWrite = ({ body }: { body: string }) => body.includes('mutation Write');

export function cut(): never {
  throw new Error('the connection is cut');
}

/** An answer of the new API's side. */
export const said = (status: number, body: object | string, headers = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** What a mutation of the bridge is answered. */
export const written = (payload: object) => said(200, { data: { written: payload } });

/** Tells the next writes from everything else. */
function limited(times: number) {
  let left = times;
  return (call: { body: string }) => {
    if (!isWrite(call) || left <= 0) return false;
    left -= 1;
    return true;
  };
}

/**
 * Starts the system; its account is known to the bridge, so that each create costs one request. `clock` is that of the
 * bridge.
 */
export async function openBakery(clock?: SettableClock): Promise<Bakery> {
  const system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' }, ...(clock && { clock }) });
  const token = await issueToken(system);
  const { context } = system.bridge;
  const { proxy } = system;
  const post: Bakery['post'] = async (path, fields = []) => {
    const form = new URLSearchParams(
      fields.map(([name, value]): [string, string] => [name, value]),
    ).toString();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await sendRaw(system.bridgeUrl, {
      method: 'POST',
      path: `/1/${path}.json`,
      ...rawForm(form, headers),
    });
    return { ...answer, json: answer.json as Told };
  };
  const create: Bakery['create'] = (text, ids = [CHANNELS.twitter]) =>
    post('updates/create', [...ids.map((id): [string, string] => ['profile_ids[]', id]), ['text', text]]);
  await create('The account is known');
  return {
    system,
    token,
    post,
    create,
    async made(text) {
      const all = await realPosts(context, { apiUrl: proxy.origin, since: 0, organizationId: BAKERY });
      return all.filter((one) => one.text === text);
    },
    rows: () => context.store.durable.selectFrom('post_writes').selectAll().orderBy('id').execute(),
    async lookAfter(ms) {
      await context.store.durable
        .updateTable('post_writes')
        .set((eb) => ({ sent_at: eb('sent_at', '-', ms), next_look_at: 0 }))
        .where('state', '=', 'in_doubt')
        .execute();
      await settleWrites(context);
    },
    cutBefore(times) {
      const isNext = limited(times);
      proxy.onOtherCall = async (call) => (isNext(call) ? cut() : undefined);
    },
    onWrites(times, fault) {
      const isNext = limited(times);
      proxy.onOtherAnswer = (call, answer) => (isNext(call) ? fault(answer) : answer);
    },
    instead(answer) {
      const isNext = limited(1);
      proxy.insteadOfOther = (call) => (isNext(call) ? answer : undefined);
    },
    mend() {
      proxy.onOtherCall = undefined;
      proxy.onOtherAnswer = undefined;
      proxy.insteadOfOther = undefined;
    },
  };
}

/** Does something while the connections have only these rights. */
export async function withScope<T>(
  { bridge }: Pick<System, 'bridge'>,
  scope: string,
  work: () => Promise<T>,
): Promise<T> {
  const { durable } = bridge.context.store;
  const before = await durable.selectFrom('grants').select('scope').executeTakeFirstOrThrow();
  await durable.updateTable('grants').set({ scope }).execute();
  try {
    return await work();
  } finally {
    await durable.updateTable('grants').set(before).execute();
  }
}
