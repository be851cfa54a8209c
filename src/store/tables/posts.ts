import type { ColumnType, Generated, Insertable, Selectable } from 'kysely';

/** The rows about posts (db/SCHEMA.md). */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** `sending` until an answer came; `found` and `not_found` are what the bridge saw when none came. */
type WriteState = 'sending' | 'done' | 'refused' | 'in_doubt' | 'found' | 'not_found';

/** The calls of the old API that write posts. Each row is one write; `reorder` and `shuffle` make one for each move. */
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
  /** Why nothing was done, by the name of the new API's refusal, or `not_sent`. */
  refusal: Nullable<string>;
  /** The post that was made, or that was to be changed. */
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
  /** As the old API names the profile. */
  profile_id: string;
  text_digest: string;
  due_at: number;
  /** The post of the new API, once it was found. */
  post_id: Nullable<string>;
  seen_at: number;
}

interface ToldPostsTable {
  id: string;
  told_at: number;
}

/** Of the durable database. */
export interface PostTables {
  post_writes: PostWritesTable;
  learned_updates: LearnedUpdatesTable;
  told_posts: ToldPostsTable;
}

interface ShadowRequestsTable {
  modern_client_id: string;
  begun_at: number;
  requests: number;
}

/** Of the volatile database. */
export interface VolatilePostTables {
  shadow_requests: ShadowRequestsTable;
}

export type PostWriteRow = Selectable<PostWritesTable>;
export type NewPostWrite = Omit<Insertable<PostWritesTable>, 'state' | 'looks' | 'refusal' | 'settled_at'>;
export type LearnedUpdate = Selectable<LearnedUpdatesTable>;
