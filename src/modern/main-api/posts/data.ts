import type { PageBoundary } from '../operations/paging.ts';
import type { AssetInput, SchedulingType, ServiceMetadata, ShareMode } from './inputs.ts';

export type PostStatus = 'draft' | 'needs_approval' | 'scheduled' | 'sending' | 'sent' | 'error';

/** The content and the origin of a post. Assets and metadata stay as the client gave them [recorded]. */
export interface PostContent {
  text: string;
  assets: AssetInput[];
  /** The metadata for the channel's own service. */
  metadata: ServiceMetadata | null;
  schedulingType: SchedulingType | null;
  via: 'buffer' | 'network' | 'api';
  authorId: string | null;
  ideaId: string | null;
  source: string | null;
  aiAssisted: boolean;
}

/** Times are Unix milliseconds. Every scheduled post has `dueAt`. Every sent post, and no other post, has `sentAt`. */
export interface PostTiming {
  status: PostStatus;
  shareMode: ShareMode;
  dueAt: number | null;
  sentAt: number | null;
}

export interface PostRecord extends PostTiming {
  id: string;
  organizationId: string;
  channelId: string;
  createdAt: number;
  updatedAt: number;
  errorMessage: string | null;
  content: PostContent;
}

export interface TagRecord {
  id: string;
  organizationId: string;
  name: string;
  color: string;
  isLocked: boolean;
}

/** The fields of a scheduled post that the queue of the channel needs. */
export interface QueuedPost {
  id: string;
  dueAt: number;
  shareMode: ShareMode;
}

export type SortField = 'dueAt' | 'createdAt';

export interface SortKey {
  field: SortField;
  direction: 'asc' | 'desc';
}

/** A stretch of time in Unix milliseconds. The window includes both ends; an undefined end is open. */
export interface TimeWindow {
  start: number | undefined;
  end: number | undefined;
}

/** A post must pass every given filter. An empty list matches no post. */
export interface PostsFilter {
  channelIds?: string[] | undefined;
  status?: string[] | undefined;
  tags?: { in: string[]; isEmpty: boolean } | undefined;
  dueAt?: TimeWindow | undefined;
  createdAt?: TimeWindow | undefined;
  sentAt?: TimeWindow | undefined;
  /** Posts created or due in the window. */
  touched?: TimeWindow | undefined;
  hasDueAt?: boolean | undefined;
  /** Posts with one of these tags. */
  tagIds?: string[] | undefined;
}

export interface PostsQuery {
  organizationId: string;
  filter: PostsFilter;
  sort: SortKey[];
  /** The list begins behind this place. The values belong to the sort keys; -1 stands for a missing time. */
  after: PageBoundary | undefined;
  limit: number;
}

/** Posts and tags. The resolvers check the caller; this interface does not. */
export interface PostsData {
  /**
   * Publishes the posts that are due at `now` (Unix milliseconds). A scheduled post becomes `sent`, or `error` when the
   * channel is disconnected. The posts of a paused or locked channel wait. A locked channel takes no new posts either
   * [inferred].
   */
  publishDue(now: number): void;
  /**
   * Publishes due posts and runs `work` in a transaction that locks out other writers. An error rolls all changes back.
   */
  write<T>(now: number, work: () => T): T;
  list(question: PostsQuery): PostRecord[];
  count(organizationId: string, filter: PostsFilter): number;
  find(postId: string): PostRecord | undefined;
  add(post: PostRecord): void;
  /** Changes no row and returns false when the post is `sending`, sent or deleted. */
  change(post: PostRecord): boolean;
  /** Sets another `dueAt`; `now` becomes the `updatedAt` of the post. */
  move(postId: string, dueAt: number, now: number): void;
  remove(postId: string): void;
  /** The scheduled posts of a channel, earliest `dueAt` first. */
  queueOf(channelId: string): QueuedPost[];
  countScheduled(organizationId: string): number;
  /**
   * Counts the channel's posts sent in the window, and the scheduled posts due in the window, without the post
   * `except`.
   */
  countOn(
    channelId: string,
    window: { start: number; end: number },
    except: string,
  ): { sent: number; scheduled: number };
  /** Counts the posts in every status but `sent`. */
  countUnsent(organizationId: string): number;
  addTag(tag: TagRecord): boolean;
  tagsOfOrganization(organizationId: string): TagRecord[];
  /** The tags of a post, sorted by name. */
  tagsOf(postId: string): TagRecord[];
  setTags(postId: string, tagIds: readonly string[]): void;
}
