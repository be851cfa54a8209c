import type { PageSelection } from '../operations/paging.ts';

export type Visibility = 'private' | 'internal' | 'public';

/** Times are Unix milliseconds. */
export interface PostTemplateRecord {
  id: string;
  organizationId: string;
  accountId: string;
  title: string;
  body: string;
  description: string;
  emoji: string;
  visibility: Visibility;
  createdAt: number;
  updatedAt: number;
}

/** The account that reads, and the organization whose templates the account reads. */
export interface TemplateReader {
  accountId: string;
  organizationId: string;
  /** Undefined: all templates that the reader may see. */
  visibility: Visibility | undefined;
}

/** Every account sees public templates, the organization sees internal templates, the maker sees private templates. */
export interface PostTemplatesData {
  /**
   * Up to `page.size + 1` templates, newest first, from behind `page.after`. The only value of `page.after` is
   * createdAt.
   */
  list(reader: TemplateReader, page: PageSelection): PostTemplateRecord[];
  count(reader: TemplateReader): number;
  find(templateId: string): PostTemplateRecord | undefined;
  /**
   * Writes no row and returns false when the organization already has `limit` templates; public templates do not count.
   */
  add(record: PostTemplateRecord, limit: number): boolean;
  change(record: PostTemplateRecord): void;
  /** False when the template is already deleted. */
  remove(templateId: string): boolean;
  /** Runs `work` in a transaction that locks out other writers. An error rolls the transaction back. */
  write<T>(work: () => T): T;
}
