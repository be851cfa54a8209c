import { openAccessToken } from '../../../src/domain/grants/sealed-pair.ts';
import { type Connected, connectApp } from '../../endpoints/support/connected.ts';
import type { Door } from '../../endpoints/support/door.ts';
import { knock } from '../../endpoints/support/knock.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';

/** An app that reads posts by the old API, and what its reads cost at the new one. */

/** None of the demo's own posts is due here, so that the queue stays as a test leaves it. */
export const CHANNEL = '5e1f0c9a7b3d4e2f8a6c3d0c';
export const TWITTER = '5e1f0c9a7b3d4e2f8a6c3d01';
export const PAGE = '5e1f0c9a7b3d4e2f8a6c3d02';
export const LINKEDIN = '5e1f0c9a7b3d4e2f8a6c3d05';

/** The requests of the new API that the bridge sends for reads. */
export type ReadKind = 'account' | 'posts' | 'post';

const KINDS: ReadonlyArray<readonly [string, ReadKind]> = [
  ['query Read', 'account'],
  ['query Posts(', 'posts'],
  ['query Post(', 'post'],
];

const kindOf = (body: string) => KINDS.find(([start]) => body.includes(`"query":"${start}`))?.[1];

interface OldUpdateJson {
  id: string;
  text: string;
  status: string;
  due_at: number;
  sent_at?: number;
}

export interface Listed {
  total: number;
  updates: OldUpdateJson[];
}

export interface Reader extends Connected {
  get(path: string): Promise<RawAnswer>;
  /** An answer of 200 to a list of a profile; CHANNEL unless another is given. */
  list(call: string, profileId?: string): Promise<Listed>;
  /** What the new API was asked for by the bridge while `work` ran. */
  asked(work: () => Promise<unknown>): Promise<ReadKind[]>;
  /** Makes a post at the new API; its id. */
  create(input?: object): Promise<string>;
}

async function createPost(door: Door, accessToken: string, input: object): Promise<string> {
  const query =
    'mutation($input: CreatePostInput!) { createPost(input: $input) { __typename ... on PostActionSuccess { post { id } } ... on MutationError { message } } }';
  const whole = {
    channelId: CHANNEL,
    schedulingType: 'automatic',
    mode: 'addToQueue',
    text: 'Hello',
    ...input,
  };
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables: { input: whole } });
  const { json, text } = await sendRaw(door.proxy.origin, { method: 'POST', path: '/', headers, body });
  const { data } = json as { data?: { createPost?: { post?: { id: string } } } };
  const id = data?.createPost?.post?.id;
  if (id === undefined) throw new Error(`no post was made: ${text}`);
  return id;
}

/** Connects an app, of its own unless one is given, for the demo account. */
export async function connectReader(door: Door, app?: LegacyApp): Promise<Reader> {
  const connected = await connectApp(door, app ?? (await door.addApp()));
  const { token, grant } = connected;
  const headers = { authorization: `Bearer ${token}` };
  const get = (path: string) => knock(door, { path, headers });
  return {
    ...connected,
    get,
    async list(call, profileId = CHANNEL) {
      const { status, text, json } = await get(`/1/profiles/${profileId}/updates/${call}`);
      if (status !== 200) throw new Error(`${status} ${text}`);
      return json as Listed;
    },
    async asked(work) {
      const before = door.proxy.readings().length;
      await work();
      return door.proxy
        .readings()
        .slice(before)
        .flatMap(({ body }) => kindOf(body) ?? []);
    },
    create: async (input = {}) =>
      createPost(door, openAccessToken(door.bridge.context, await grant()), input),
  };
}

export const idsOf = ({ updates }: Listed) => updates.map(({ id }) => id);
export const isoIn = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
