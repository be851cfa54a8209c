import type { PostContent, PostRecord, PostTiming } from '../../main-api/posts/data.ts';

/** A row of the table posts; the columns are in db/modern/004-posts.sql. */
export interface PostRow extends PostTiming {
  id: string;
  organizationId: string;
  channelId: string;
  createdAt: number;
  updatedAt: number;
  errorMessage: string | null;
  document: string;
}

export const POST_COLUMNS = `id, organization_id as organizationId, channel_id as channelId, status,
  share_mode as shareMode, created_at as createdAt, updated_at as updatedAt, due_at as dueAt, sent_at as sentAt,
  error_message as errorMessage, document`;

export function toPost({ document, ...row }: PostRow): PostRecord {
  const content: PostContent = JSON.parse(document);
  return { ...row, content };
}

export const toPostRow = ({ content, ...post }: PostRecord): PostRow => ({
  ...post,
  document: JSON.stringify(content),
});
