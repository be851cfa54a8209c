import { createOldApi, readAnswer } from '../../../src/demo/old-api.ts';
import { statusOf } from '../../../src/demo/message.ts';
import { createPostCalls, type PostCalls, loadQueue } from '../../../src/demo/posts/post-calls.ts';
import type { DemoSession } from '../../../src/demo/session.ts';
import { createWire, type WireExchange } from '../../../src/demo/wire.ts';
import { type ClientProcess, startClient } from '../../support/bridge/client-process.ts';
import { serveOldAddresses } from '../../support/servers/connect-proxy.ts';

/** Every method of the old clients, in the order in which a program may use them one after the other. */

/** What the calls are about: a profile by its old id, and the update that the client made. */
export interface Subject {
  token: string;
  profile: string;
  update: string;
}

/** An answer as a client hands it to its program. */
export interface ClientAnswer {
  status: number;
  body: unknown;
}

/** One row of the table; `path` is below /1, with `:id` for what it is about. */
export interface ClientCall {
  name: string;
  path: string;
  run(subject: Subject): Promise<ClientAnswer>;
}

export interface TableClient {
  name: string;
  calls: ClientCall[];
  stop(): Promise<void>;
}

const NOWHERE = 'f'.repeat(24);

/** `GET name path`, and what is sent with it. */
type Row = readonly [name: string, path: string, params?: (subject: Subject) => object];

const TEXT = 'Written by an old client';

const ROWS: readonly Row[] = [
  ['user', 'GET user'],
  ['profiles', 'GET profiles'],
  ['profile', 'GET profiles/:profile'],
  ['schedules', 'GET profiles/:profile/schedules'],
  [
    'updateSchedules',
    'POST profiles/:profile/schedules/update',
    () => ({ schedules: [{ days: ['mon', 'tue'], times: ['12:00', '17:00'] }] }),
  ],
  ['createUpdate', 'POST updates/create', ({ profile }) => ({ text: TEXT, profile_ids: [profile] })],
  [
    'createUpdate with a link',
    'POST updates/create',
    ({ profile }) => ({
      text: TEXT,
      profile_ids: [profile],
      top: true,
      media: { link: 'https://example.com/', title: 'A title' },
    }),
  ],
  ['createUpdate for nobody', 'POST updates/create', () => ({ text: TEXT, profile_ids: [] })],
  ['pendingUpdates', 'GET profiles/:profile/updates/pending', () => ({ count: 100, since: 1, utc: true })],
  ['update', 'GET updates/:update'],
  ['update of nobody', `GET updates/${NOWHERE}`],
  ['interactions', 'GET updates/:update/interactions', () => ({ event: 'favorite' })],
  ['changeUpdate', 'POST updates/:update/update', () => ({ text: `${TEXT}, changed`, utc: true })],
  ['moveUpdateToTop', 'POST updates/:update/move_to_top'],
  ['reorderUpdates', 'POST profiles/:profile/updates/reorder', ({ update }) => ({ order: [update] })],
  ['shuffleUpdates', 'POST profiles/:profile/updates/shuffle', () => ({ count: 2, utc: true })],
  ['shareUpdate', 'POST updates/:update/share'],
  ['sentUpdates', 'GET profiles/:profile/updates/sent', () => ({ page: 1, count: 5, filter: 'all' })],
  ['destroyUpdate', 'POST updates/:update/destroy'],
  ['update afterwards', 'GET updates/:update'],
  ['shares', 'GET links/shares', () => ({ url: 'https://example.com/' })],
  ['configuration', 'GET info/configuration'],
];

export const DEAUTHORIZE = 'deauthorize';

/** With a token of its own, which is gone afterwards. */
const LAST_ROWS: readonly Row[] = [
  [DEAUTHORIZE, 'POST user/deauthorize'],
  ['profiles afterwards', 'GET profiles'],
];

export const NAMES_OF_LAST_ROWS = LAST_ROWS.map(([name]) => name);

const filled = (path: string, { profile, update }: Subject) =>
  path.replace(':profile', profile).replace(':update', update);

interface NodeBufferAnswer {
  data?: unknown;
  status?: number;
}

/** One method for each of GET and POST; the paths are its program's own. */
function nodeBufferCalls(client: ClientProcess): ClientCall[] {
  return [...ROWS, ...LAST_ROWS].map(([name, call, params]) => ({
    name,
    path: call,
    async run(subject) {
      const [method = '', path = ''] = filled(call, subject).split(' ');
      const order = { method: method.toLowerCase(), path, params: params?.(subject) ?? {} };
      const answer = (await client.ask({ token: subject.token, ...order })) as NodeBufferAnswer;
      return { status: answer.status ?? 0, body: answer.data };
    },
  }));
}

interface BufferNodeAnswer {
  data?: unknown;
  error?: string;
  errorCode?: number;
  httpCode?: number;
}

/** Its method for each row, by the name in ../programs/buffer-node.cjs, and what stands for `id` there. */
const BUFFER_NODE: Record<string, readonly [call: string, about: 'profile' | 'update' | 'nothing' | '']> = {
  user: ['user', ''],
  profiles: ['profiles', ''],
  profile: ['profile', 'profile'],
  schedules: ['schedules', 'profile'],
  updateSchedules: ['updateSchedules', 'profile'],
  createUpdate: ['create', 'profile'],
  'createUpdate with a link': ['createWithLink', 'profile'],
  'createUpdate for nobody': ['createForNobody', ''],
  pendingUpdates: ['pendingAll', 'profile'],
  sentUpdates: ['sentNewest', 'profile'],
  update: ['update', 'update'],
  'update of nobody': ['update', 'nothing'],
  interactions: ['interactions', 'update'],
  changeUpdate: ['change', 'update'],
  moveUpdateToTop: ['moveToTop', 'update'],
  reorderUpdates: ['reorder', 'profile'],
  shuffleUpdates: ['shuffle', 'profile'],
  shareUpdate: ['share', 'update'],
  destroyUpdate: ['destroy', 'update'],
  'update afterwards': ['update', 'update'],
  shares: ['shares', ''],
  configuration: ['configuration', ''],
  [DEAUTHORIZE]: ['deauthorize', ''],
  'profiles afterwards': ['profiles', ''],
};

function bufferNodeCalls(client: ClientProcess): ClientCall[] {
  return [...ROWS, ...LAST_ROWS].map(([name, path]) => ({
    name,
    path,
    async run(subject) {
      const [call, about] = BUFFER_NODE[name] ?? ['', ''];
      const id = { ...subject, nothing: NOWHERE, '': '' }[about];
      const order = { token: subject.token, call, id, order: [subject.update] };
      const answer = (await client.ask(order)) as BufferNodeAnswer;
      if (answer.error === undefined) return { status: 200, body: answer.data };
      return { status: answer.httpCode ?? 0, body: { error: answer.error, code: answer.errorCode } };
    },
  }));
}

const answered = ({ answer }: Pick<WireExchange, 'answer'>): ClientAnswer => ({
  status: statusOf(answer),
  body: readAnswer(answer),
});

const direct =
  (call: (token: string) => Promise<WireExchange>) =>
  async ({ token }: Subject) =>
    answered(await call(token));
const inSession =
  (act: (demo: DemoSession, subject: Subject) => Promise<unknown>) => async (subject: Subject) => {
    const demo: DemoSession = { token: subject.token, profiles: [], steps: [] };
    await act(demo, subject);
    return answered({ answer: demo.steps.at(-1)?.answer });
  };

/** The calls of the demo integration, with the token in its session as it keeps one. */
function demoCalls(bridgeUrl: string): ClientCall[] {
  const oldApi = createOldApi(bridgeUrl, createWire(bridgeUrl));
  const posting = (act: (calls: PostCalls, subject: Subject) => Promise<unknown>) =>
    inSession((demo, subject) => act(createPostCalls(demo, oldApi), subject));
  const runs: Record<string, ClientCall['run']> = {
    user: direct((token) => oldApi.readUser(token)),
    profiles: direct((token) => oldApi.readProfiles(token)),
    createUpdate: posting((calls, { profile }) => calls.create({ profileIds: [profile], text: TEXT })),
    'createUpdate for nobody': posting((calls) => calls.create({ profileIds: [], text: TEXT })),
    pendingUpdates: inSession((demo, { profile }) => loadQueue(demo, oldApi, profile)),
    changeUpdate: posting((calls, { update }) => calls.change(update, `${TEXT}, changed`)),
    moveUpdateToTop: posting((calls, { update }) => calls.moveToTop(update)),
    reorderUpdates: posting((calls, { profile, update }) => calls.reorder(profile, [update])),
    destroyUpdate: posting((calls, { update }) => calls.destroy(update)),
    [DEAUTHORIZE]: direct((token) => oldApi.deauthorize(token)),
    'profiles afterwards': direct((token) => oldApi.readProfiles(token)),
  };
  return [...ROWS, ...LAST_ROWS].flatMap(([name, path]) => {
    const run = runs[name];
    return run ? [{ name, path, run }] : [];
  });
}

/** The three clients, for which the old host names lead to this bridge. */
export async function startTableClients(bridgeUrl: string): Promise<TableClient[]> {
  const old = await serveOldAddresses(bridgeUrl);
  const [nodeBuffer, bufferNode] = await Promise.all([
    startClient('node-buffer.cjs', old),
    startClient('buffer-node.cjs', old),
  ]);
  return [
    {
      name: 'node-buffer',
      calls: nodeBufferCalls(nodeBuffer),
      async stop() {
        await nodeBuffer.stop();
        await old.close();
      },
    },
    { name: 'buffer-node', calls: bufferNodeCalls(bufferNode), stop: () => bufferNode.stop() },
    { name: 'the demo integration', calls: demoCalls(bridgeUrl), stop: () => Promise.resolve() },
  ];
}
