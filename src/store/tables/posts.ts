import type { ColumnType, Generated, Insertable, Selectable } from 'kysely';

/** The rows about posts (db/SCHEMA.md). */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** `sending` until an answer came; `found` and `not_found` are results of a search when no answer came. */
type WriteState = 'sending' | 'done' | 'refused' | 'in_doubt' | 'found' | 'not_found';

/** The calls of the old API that write posts. Each row is one write; `reorder` and `shuffle` make one row per move. */
export type WriteCall = 'create' | 'update' | 'share' | 'destroy' | 'move_to_top' | 'reorder' | 'shuffle';

interface PostWritesTable {
  id: string;
  mapping_id: string;
  account_id: string;
  modern_client_id: string;
  call: WriteCall;
  organization_id: Nullable<string>;
  channel_id: Nullable<string>;
  content_digest: Nullable<string>;
  state: WriteState;
  /** Why the write was not done: the name of the new API's refusal, or `not_sent`. */
  refusal: Nullable<string>;
  /** The post that the write made or was meant to change. */
  post_id: Nullable<string>;
  request_id: Nullable<string>;
  /** How often the bridge looked for the post. */
  looks: Generated<number>;
  next_look_at: Nullable<number>;
  sent_at: number;
  settled_at: Nullable<number>;
}

interface LearnedUpdatesTable {
  id: string;
  account_id: string;
  old_id: string;
  /** The profile by its old id. */
  profile_id: string;
  text_digest: string;
  due_at: number;
  /** The post at the new API, once found. */
  post_id: Nullable<string>;
  seen_at: number;
}

interface ToldPostsTable {
  id: string;
  told_at: number;
}

/** The durable database. */
export interface PostTables {
  post_writes: PostWritesTable;
  learned_updates: LearnedUpdatesTable;
  told_posts: ToldPostsTable;
}

/** A text of `profiles.json` or of `user.json`, beside the answer that it was made of. The database drops the text with its answer. */
interface ToldTextsTable {
  grant_id: string;
  modern_client_id: string;
  /** The time of the answer. */
  fetched_at: number;
  /** What the text depends on: it holds only while this is the same. */
  key: string;
  text: string;
}

/** A text of a list of posts, likewise beside the answers that it was made of. */
interface ToldListsTable {
  /** The grant, the list, and the profile id that the app names. */
  id: string;
  /** The kept answer about the list. */
  answer_id: string;
  grant_id: string;
  modern_client_id: string;
  /** When the page was read. */
  fetched_at: number;
  /** The words for days are right from here. */
  valid_from: number;
  /** And before here. */
  valid_until: number;
  /** What else the text depends on. */
  key: string;
  text: string;
}

interface PostAnswersTable {
  id: string;
  grant_id: string;
  body: string;
  length: number | null;
  fetched_at: number;
}

interface ShadowRequestsTable {
  modern_client_id: string;
  begun_at: number;
  requests: number;
}

/** The volatile database. */
export interface VolatilePostTables {
  shadow_requests: ShadowRequestsTable;
  told_profiles: ToldTextsTable;
  told_users: ToldTextsTable;
  told_lists: ToldListsTable;
  post_answers: PostAnswersTable;
}

export type PostWriteRow = Selectable<PostWritesTable>;
export type NewPostWrite = Omit<Insertable<PostWritesTable>, 'state' | 'looks' | 'refusal' | 'settled_at'>;
export type LearnedUpdate = Selectable<LearnedUpdatesTable>;
