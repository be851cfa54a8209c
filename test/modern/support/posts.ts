import { randomBytes } from 'node:crypto';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { DEMO, type GraphqlAnswer, graphql, obtainTokens, runModern, SECOND } from './modern.ts';

export const BAKERY = '5e1f0c9a7b3d4e2f8a6c2d01';
export const RUNNERS = '5e1f0c9a7b3d4e2f8a6c2d02';
export const RECORDS = '5e1f0c9a7b3d4e2f8a6c2d03';
/** A channel of each service, by the last characters of its id. */
export const channel = (end: string) => `5e1f0c9a7b3d4e2f8a6c${end}`;
export const TWITTER = channel('3d01');

export const DAY = 86_400_000;
export const image = { image: { url: 'https://images.example/one.png' } };
export const video = { video: { url: 'https://images.example/one.mp4' } };
export const document = {
  document: { url: 'https://x.example/a.pdf', title: 'A', thumbnailUrl: 'https://x.example/a.png' },
};
export const iso = (time: number) => new Date(time).toISOString();
export const tomorrow = () => iso(Date.now() + DAY);

const SCOPES = 'account:read posts:read posts:write';

export const POST = `id status text via schedulingType isCustomScheduled createdAt updatedAt dueAt sentAt externalLink
  ideaId channelId channelService channel { id name service } author { id email isDeleted name } sharedNow shareMode
  tags { id name color colorName isLocked } notes { id } metrics { value } metricsUpdatedAt notificationStatus
  error { message supportUrl rawError } allowedActions
  assets { __typename id type mimeType source thumbnail ... on ImageAsset { image { altText width height isAnimated
    userTags { handle x y } } } ... on VideoAsset { video { durationMs } } ... on DocumentAsset { document { numPages thumbnails } } }
  metadata { __typename ... on CommonPostMetadata { type annotations { type indices content text url } }
    ... on ThreadedPostMetadata { thread { text assets { source } linkAttachment { url } } threadCount } }`;

/** createPost and editPost can be refused by an error of the older generation, and no other operation. */
const refusalOf = (name: string) =>
  `... on MutationError { message } ${/^(?:create|edit)/.test(name) ? '... on RestProxyError { link code }' : ''}`;

const action = (name: string, type: string) => `mutation($input: ${type}!) { ${name}(input: $input) {
  __typename ... on PostActionSuccess { post { ${POST} } } ${refusalOf(name)} } }`;

const POSTS = `query($input: PostsInput!, $first: Int, $after: String) { posts(input: $input, first: $first, after: $after) {
  edges { cursor node { id text status dueAt createdAt } }
  pageInfo { startCursor endCursor hasPreviousPage hasNextPage } } }`;

export type Ground = Awaited<ReturnType<typeof runPosts>>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of any shape
type Json = any;

/** A running modern generation with one bearer for each demo account, and its database file for what no call can do. */
export async function runPosts() {
  const modern = await runModern({ logLevel: 'fatal' });
  const base = modern.server.url;
  const bearerFor = async (scope: string, person = DEMO) => {
    const tokens = await obtainTokens({ base, person, parameters: { scope } });
    return `Bearer ${tokens['access_token']}`;
  };
  const owner = await bearerFor(SCOPES);
  const stranger = await bearerFor(SCOPES, SECOND);
  const db = new Sqlite(modern.settings.databaseFile);

  const ask = (query: string, variables?: object, as = owner): Promise<GraphqlAnswer> =>
    graphql(base, as, { query, variables });
  const call = async (name: string, type: string, input: object, as?: string): Promise<Json> => {
    const { status, body } = await ask(action(name, type), { input }, as);
    return status === 200 && body.data ? body.data[name] : { status, ...body };
  };
  const defaults = { channelId: TWITTER, schedulingType: 'automatic', mode: 'addToQueue', text: 'Hello' };
  const create = (input: object = {}, as?: string): Promise<Json> =>
    call('createPost', 'CreatePostInput', { ...defaults, ...input }, as);

  return {
    modern,
    base,
    owner,
    stranger,
    db,
    ask,
    bearerFor,
    create,
    /** The refusal of a new post, which must leave nothing behind. */
    async refusal(input: object): Promise<string[]> {
      const count = db.prepare('select count(*) from posts').pluck();
      const before = count.get();
      const { __typename, message } = await create(input);
      expect(count.get()).toBe(before);
      return [__typename, message];
    },
    edit: (input: object, as?: string): Promise<Json> => call('editPost', 'EditPostInput', input, as),
    move: (id: string, position: string, as?: string): Promise<Json> =>
      call('movePostInQueue', 'MovePostInQueueInput', { id, position }, as),
    async remove(id: string, as?: string): Promise<Json> {
      const query =
        'mutation($id: PostId!) { deletePost(input: { id: $id }) { __typename ... on DeletePostSuccess { id } ... on VoidMutationError { message } } }';
      return (await ask(query, { id }, as)).body.data.deletePost;
    },
    async made(input: object = {}): Promise<Json> {
      const answer = await create(input);
      if (answer.__typename !== 'PostActionSuccess') throw new Error(JSON.stringify(answer));
      return answer.post;
    },
    async post(id: string, as?: string): Promise<Json> {
      const { body } = await ask(`query($id: PostId!) { post(input: { id: $id }) { ${POST} } }`, { id }, as);
      return body.data?.post ?? body;
    },
    async list(filter: object = {}, more: object = {}): Promise<Json> {
      const { first = 100, after, as, ...input }: Json = { organizationId: BAKERY, filter, ...more };
      const { body } = await ask(POSTS, { input, first, after }, as);
      return body.data?.posts ?? body;
    },
    /** A channel of its own, like the first demo channel but for `changes`; returns its id. */
    addChannel(changes: object = {}): string {
      const id = randomBytes(12).toString('hex');
      const row = db.prepare('select document from channels where id = ?').pluck().get(TWITTER);
      const record = { ...JSON.parse(String(row)), id, ...changes };
      const { organizationId } = record;
      db.prepare('insert into channels (id, organization_id, position, document) values (?, ?, 99, ?)').run(
        id,
        organizationId,
        JSON.stringify(record),
      );
      return id;
    },
    changeChannel(id: string, changes: object): void {
      const sql = 'update channels set document = json_patch(document, ?) where id = ?';
      db.prepare(sql).run(JSON.stringify(changes), id);
    },
    /** Lets the time of a post come. */
    makeDue(id: string, time = Date.now() - 1000): void {
      db.prepare('update posts set due_at = ? where id = ?').run(time, id);
    },
    async stop(): Promise<void> {
      db.close();
      await modern.stop();
    },
  };
}

const names = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The same times on every day; paused days keep theirs. */
export const daily = (times: string[], paused: string[] = []) =>
  names.map((day) => ({ day, times, paused: paused.includes(day) }));

interface Edge {
  cursor: string;
  node: { id: string; text: string; status: string; dueAt: string | null; createdAt: string };
}

/** The posts of one page of a list. */
export const nodes = ({ edges }: { edges: Edge[] }) => edges.map(({ node }) => node);
export const ids = (page: { edges: Edge[] }) => nodes(page).map(({ id }) => id);
