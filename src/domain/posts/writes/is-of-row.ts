import type { PostWriteRow } from '../../../store/tables/posts.ts';
import type { Context } from '../../context.ts';

/** Whether the digest of a row belongs to this content, under any key. */
export function isOf({ vault }: Context, { content_digest: digest }: PostWriteRow, content: string): boolean {
  return digest !== null && vault.digests(content).includes(digest);
}
