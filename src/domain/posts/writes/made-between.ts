import { WRITE_CLOCKS_DIFFER, WRITE_MADE_WITHIN } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';

/** Every time at which the new API may have made the post of a row, by its own clock. */
export function madeBetween({ sent_at: sentAt }: Pick<PostWriteRow, 'sent_at'>) {
  return { from: sentAt - WRITE_CLOCKS_DIFFER, to: sentAt + WRITE_MADE_WITHIN + WRITE_CLOCKS_DIFFER };
}
