import { WRITE_CLOCKS_DIFFER, WRITE_MADE_WITHIN } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';

/** The time in which the new API may have made the post of a row, by the clock of the new API. */
export function madeBetween({ sent_at: sentAt }: Pick<PostWriteRow, 'sent_at'>) {
  return { from: sentAt - WRITE_CLOCKS_DIFFER, to: sentAt + WRITE_MADE_WITHIN + WRITE_CLOCKS_DIFFER };
}
