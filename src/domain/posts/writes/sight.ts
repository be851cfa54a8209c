import type { PostWriteRow } from '../../../store/tables/posts.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { LookReads } from './look-reads.ts';

/** What the looks at writes in doubt hand to each other. */

/** What a look saw. */
export type Observation =
  /** The post as the write would leave it. */
  | { kind: 'found'; post: WrittenPost | undefined }
  /** The post that was to be removed is not there; whether it ever was, nobody knows. */
  | { kind: 'gone' }
  /** Nothing of the write is there by now. */
  | { kind: 'nothing' }
  /** There is what may be the write's or another's. */
  | { kind: 'unclear' }
  /** Another process looks, or the outcome is known. */
  | { kind: 'not_looked' };

/** One look. */
export interface Looking {
  row: PostWriteRow;
  reads: LookReads;
  /** Where the pictures and videos of a new post come from; known while its caller waits. */
  sources?: readonly string[] | undefined;
}
