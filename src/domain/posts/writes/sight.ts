import type { PostWriteRow } from '../../../store/tables/posts.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { LookReads } from './look-reads.ts';

/** The types that the looks at writes in doubt share. */

/** The observation of a look. */
export type WriteObservation =
  /** The post has the state that the write would produce. */
  | { kind: 'found'; post: WrittenPost | undefined }
  /** The post to delete does not exist. Whether the post existed before is unknown. */
  | { kind: 'gone' }
  /** No effect of the write is visible by now. */
  | { kind: 'nothing' }
  /** The visible effect may come from this write or from another write. */
  | { kind: 'unclear' }
  /** Another process looks, or the outcome is known. */
  | { kind: 'not_looked' };

/** One look. */
export interface WriteSearch {
  row: PostWriteRow;
  reads: LookReads;
  /** The addresses of a new post's pictures and videos. Known only while the caller waits. */
  sources?: readonly string[] | undefined;
}
