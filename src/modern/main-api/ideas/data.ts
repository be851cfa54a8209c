import type { Service } from '../directory.ts';
import type { PageSelection } from '../operations/paging.ts';

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

/** `createdAt` and `updatedAt` are Unix seconds. Only ideas use Unix seconds [recorded]. */
export interface IdeaRecord {
  id: string;
  organizationId: string;
  content: IdeaContent;
  groupId: string | null;
  position: number | null;
  createdAt: number;
  updatedAt: number;
}

/** An undefined field does not narrow the list. */
export interface IdeasFilter {
  groups?: string[] | undefined;
  membership?: 'grouped' | 'ungrouped' | undefined;
  /** Ideas with at least one of the tags in `in`. `isEmpty` adds the ideas without tags. */
  tags?: { in: string[]; isEmpty: boolean } | undefined;
}

export interface IdeasData {
  /**
   * Up to `page.size + 1` ideas, newest first, from behind `page.after`. The only value of `page.after` is createdAt.
   */
  list(organizationId: string, filter: IdeasFilter, page: PageSelection): IdeaRecord[];
  /** Writes no row and returns false when the organization already has `limit` ideas. */
  add(record: IdeaRecord, limit: number): boolean;
  /** Runs `work` in a transaction that locks out other writers. An error rolls the transaction back. */
  write<T>(work: () => T): T;
  has(organizationId: string, ideaId: string): boolean;
  isGroup(organizationId: string, groupId: string): boolean;
  /** The groups, oldest first. */
  groupsOf(organizationId: string): { id: string; name: string }[];
  /** The positions of the group's ideas, in order. */
  positionsIn(groupId: string): { id: string; position: number }[];
  /** Gives the group's ideas the positions 1, 2, 3 … and keeps the order. */
  renumber(groupId: string): void;
}
