import type { Place } from '../operations/paging.ts';
import type { AssetInput, SchedulingType, ServiceMetadata, ShareMode } from './inputs.ts';

export type PostStatus = 'draft' | 'needs_approval' | 'scheduled' | 'sending' | 'sent' | 'error';

/** What a post says and where it comes from; assets and metadata as they were given [recorded]. */
export interface PostContent {
  text: string;
  assets: AssetInput[];
  /** Of the channel's own service. */
  metadata: ServiceMetadata | null;
  schedulingType: SchedulingType | null;
  via: 'buffer' | 'network' | 'api';
  authorId: string | null;
  ideaId: string | null;
  source: string | null;
  aiAssisted: boolean;
}

/** Times in Unix milliseconds. `dueAt` is set for every scheduled post, `sentAt` for every sent one and no other. */
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

/** A scheduled post as the queue of its channel sees it. */
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

/** An open or closed stretch of time; both ends count, in Unix milliseconds. */
export interface TimeWindow {
  start: number | undefined;
  end: number | undefined;
}

/** All that is there must hold; an empty list matches nothing. */
export interface PostsFilter {
  channelIds?: string[] | undefined;
  status?: string[] | undefined;
  tags?: { in: string[]; isEmpty: boolean } | undefined;
  dueAt?: TimeWindow | undefined;
  createdAt?: TimeWindow | undefined;
  sentAt?: TimeWindow | undefined;
  /** Made or due in it. */
  touched?: TimeWindow | undefined;
  hasDueAt?: boolean | undefined;
  /** Posts with one of these tags. */
  tagIds?: string[] | undefined;
}

export interface PostsQuestion {
  organizationId: string;
  filter: PostsFilter;
  sort: SortKey[];
  /** The list begins behind this place; its values are the sort keys', -1 for a time that is not set. */
  after: Place | undefined;
  limit: number;
}

/** Posts and tags. Nothing here checks who asks: the resolvers do. */
export interface PostsData {
  /**
   * Publishes what is due at `now` (Unix milliseconds): scheduled posts become sent, or error where the channel is
   * disconnected. The posts of a paused channel wait, and so do those of a locked one, which takes no new ones either
   * [inferred].
   */
  publishDue(now: number): void;
  /** Publishes what is due, then does `work` while nobody else writes; a throw takes everything back. */
  write<T>(now: number, work: () => T): T;
  list(question: PostsQuestion): PostRecord[];
  count(organizationId: string, filter: PostsFilter): number;
  find(postId: string): PostRecord | undefined;
  add(post: PostRecord): void;
  /** False when the post was sent or is gone: then nothing was changed. */
  change(post: PostRecord): boolean;
  /** To another time, `now`. */
  move(postId: string, dueAt: number, now: number): void;
  remove(postId: string): void;
  /** The scheduled posts of a channel in the order of their times. */
  queueOf(channelId: string): QueuedPost[];
  countScheduled(organizationId: string): number;
  /** Of a channel, sent or due in the window; `except` is not counted. */
  countOn(
    channelId: string,
    window: { start: number; end: number },
    except: string,
  ): { sent: number; scheduled: number };
  /** In whatever other status. */
  countUnsent(organizationId: string): number;
  addTag(tag: TagRecord): boolean;
  tagsOfOrganization(organizationId: string): TagRecord[];
  /** Sorted by name. */
  tagsOf(postId: string): TagRecord[];
  setTags(postId: string, tagIds: readonly string[]): void;
}
