import type { PostWriteRow } from '../../../store/tables/posts.ts';
import type { PostsDeps } from '../deps.ts';

/** Whether the digest of a row belongs to this content, under any key. */
export function isOf(
  { vault }: PostsDeps,
  { content_digest: digest }: PostWriteRow,
  content: string,
): boolean {
  return digest !== null && vault.digests(content).includes(digest);
}
