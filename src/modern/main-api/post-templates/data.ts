import type { Page } from '../operations/paging.ts';

export type Visibility = 'private' | 'internal' | 'public';

/** Times in Unix milliseconds. */
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

/** Who asks, and for which organization. */
export interface TemplateReader {
  accountId: string;
  organizationId: string;
  /** Undefined: all that the reader may see. */
  visibility: Visibility | undefined;
}

/** Public templates are seen by all, internal ones in their organization, private ones by their maker. */
export interface PostTemplatesData {
  /** Up to `page.size + 1`, newest first, from behind `page.after`, whose one value is createdAt. */
  list(reader: TemplateReader, page: Page): PostTemplateRecord[];
  count(reader: TemplateReader): number;
  find(templateId: string): PostTemplateRecord | undefined;
  /** False, with nothing written, when the organization has `limit` templates already. */
  add(record: PostTemplateRecord, limit: number): boolean;
  change(record: PostTemplateRecord): void;
  /** False when it is gone. */
  remove(templateId: string): boolean;
  /** Does `work` while nobody else writes; a throw takes everything back. */
  write<T>(work: () => T): T;
}
