import type { WriteCall } from '../../../store/tables/posts.ts';
import type { PostWrite, WriteRefusal } from '../../../upstream/posts/write-post.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { ServedMapping } from '../../tokens/resolve-token.ts';

/** What the steps of a write hand to each other. */

/** Who writes, and until when the caller waits; by `clock.elapsed()`. */
export interface Writer {
  mapping: ServedMapping;
  requestId: string | null;
  /** When the old call came. */
  came: number;
}

/** What is written, and how its row says it. */
export interface Write {
  call: WriteCall;
  write: PostWrite;
  organizationId?: string;
  channelId?: string;
  postId?: string;
  /** What is kept as a digest, so that the post is known again (content-digest.ts). */
  content?: string;
  /** How long after its call it may begin, in milliseconds; `WRITE_BEGUN_WITHIN` without a value. */
  begunWithin?: number;
  /** Where the pictures and videos of a new post come from; kept nowhere. */
  sources?: readonly string[];
}

/** What became of a write that was sent; nothing was written otherwise. */
export type WriteEnd =
  | { kind: 'done'; post: WrittenPost | undefined }
  | { kind: 'refused'; refusal: WriteRefusal }
  /** `message` is what the new API says went wrong. */
  | { kind: 'in_doubt'; rowId: string; message: string | undefined };
