import type { WriteCall } from '../../../store/tables/posts.ts';
import type { PostWrite, WriteRefusal } from '../../../upstream/posts/write-post.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { ServedMapping } from '../../tokens/resolve-token.ts';

/** The types that the steps of a write share. */

/** The token and request of a write. The caller's waiting time counts from `came`, by `clock.elapsed()`. */
export interface Writer {
  mapping: ServedMapping;
  requestId: string | null;
  /** The arrival of the old call. */
  came: number;
}

/** The content of a write, with the values for its row. */
export interface Write {
  call: WriteCall;
  write: PostWrite;
  organizationId?: string;
  channelId?: string;
  postId?: string;
  /** Stored as a digest, to recognize the post later (content-digest.ts). */
  content?: string;
  /** The longest time from the call to the start of the write, in milliseconds; `WRITE_BEGUN_WITHIN` by default. */
  begunWithin?: number;
  /** The addresses of a new post's pictures and videos. Not stored. */
  sources?: readonly string[];
}

/** The outcome of a write that was sent. Any other outcome is an error that proves that nothing was written. */
export type WriteEnd =
  | { kind: 'done'; post: WrittenPost | undefined }
  | { kind: 'refused'; refusal: WriteRefusal }
  /** `message` is the text of the new API about the fault. */
  | { kind: 'in_doubt'; rowId: string; message: string | undefined };
