import type { Service } from '../directory.ts';
import type { Page } from '../operations/paging.ts';

export interface IdeaTag {
  id: string;
  name: string;
  color: string;
}

export interface IdeaMedia {
  id: string;
  url: string;
  alt: string | null;
  thumbnailUrl: string | null;
  type: 'image' | 'gif' | 'video' | 'link' | 'document' | 'unsupported';
  size: number | null;
  source: { name: string; id: string | null; author: string | null; authorUrl: string | null } | null;
}

export interface IdeaContent {
  title: string | null;
  text: string | null;
  media: IdeaMedia[] | null;
  tags: IdeaTag[];
  aiAssisted: boolean;
  services: Service[];
  date: string | null;
}

/** `createdAt` and `updatedAt` are Unix seconds, unlike everywhere else [recorded]. */
export interface IdeaRecord {
  id: string;
  organizationId: string;
  content: IdeaContent;
  groupId: string | null;
  position: number | null;
  createdAt: number;
  updatedAt: number;
}

/** What is undefined does not narrow. */
export interface IdeasFilter {
  groups?: string[] | undefined;
  membership?: 'grouped' | 'ungrouped' | undefined;
  /** With any of the tags in `in`, or, with `isEmpty`, without any. */
  tags?: { in: string[]; isEmpty: boolean } | undefined;
}

export interface IdeasData {
  /** Up to `page.size + 1` ideas, newest first, from behind `page.after`, whose one value is createdAt. */
  list(organizationId: string, filter: IdeasFilter, page: Page): IdeaRecord[];
  /** False, with nothing written, when the organization has `limit` ideas already. */
  add(record: IdeaRecord, limit: number): boolean;
  /** Does `work` while nobody else writes; a throw takes everything back. */
  write<T>(work: () => T): T;
  has(organizationId: string, ideaId: string): boolean;
  isGroup(organizationId: string, groupId: string): boolean;
  /** In the order they were made. */
  groupsOf(organizationId: string): { id: string; name: string }[];
  /** Of the group's ideas, in order. */
  positionsIn(groupId: string): { id: string; position: number }[];
  /** Gives the group's ideas the positions 1, 2, 3 and so on, in the order they have. */
  renumber(groupId: string): void;
}
