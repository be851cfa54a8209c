/**
 * The records behind the main API, in the shape the schema serves (modern-api.md 1.3), and the questions it asks.
 * Ids are 24 hexadecimal characters, times ISO 8601 with milliseconds.
 */

import type { IdeasData } from './ideas/data.ts';
import type { PostsData } from './posts/data.ts';
import type { SnippetsData } from './snippets/data.ts';

export interface AccountRecord {
  id: string;
  email: string;
  backupEmail: string | null;
  name: string | null;
  avatar: string;
  timezone: string | null;
  createdAt: string;
  preferences: {
    timeFormat: string | null;
    startOfWeek: string | null;
    defaultScheduleOption: 'Queue' | 'Prioritize' | 'FixedTime' | 'Now';
  };
}

export interface OrganizationLimits {
  channels: number;
  members: number;
  scheduledPosts: number;
  scheduledThreadsPerChannel: number;
  scheduledStoriesPerChannel: number;
  generateContent: number;
  tags: number;
  ideas: number;
  ideaGroups: number;
  savedReplies: number;
  postTemplates: number;
}

/** `channelCount` is counted when it is asked for. */
export interface OrganizationRecord {
  id: string;
  name: string;
  ownerEmail: string;
  members: { totalCount: number };
  shouldEnforce2FASetup: boolean;
  limits: OrganizationLimits;
}

type Service =
  | 'instagram'
  | 'facebook'
  | 'twitter'
  | 'linkedin'
  | 'pinterest'
  | 'tiktok'
  | 'googlebusiness'
  | 'startPage'
  | 'mastodon'
  | 'youtube'
  | 'threads'
  | 'bluesky';

export type DayOfWeek = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

/** `times` are HH:MM in the channel's time zone. */
export interface ScheduleRecord {
  day: DayOfWeek;
  times: string[];
  paused: boolean;
}

type ChannelMetadataRecord =
  | { __typename: 'MastodonMetadata' | 'BlueskyMetadata'; serverUrl: string }
  | { __typename: 'TwitterMetadata'; subscriptionType: string }
  | { __typename: 'GoogleBusinessMetadata'; location: string; mapsLink: string | null };

export interface ChannelRecord {
  id: string;
  organizationId: string;
  name: string;
  displayName: string | null;
  descriptor: string;
  service: Service;
  serviceId: string;
  type: 'page' | 'profile' | 'business' | 'group' | 'account' | 'channel';
  avatar: string;
  timezone: string;
  isDisconnected: boolean;
  isLocked: boolean;
  isQueuePaused: boolean;
  isNew: boolean;
  postingSchedule: ScheduleRecord[];
  products: string[];
  scopes: string[];
  allowedActions: string[];
  metadata: ChannelMetadataRecord | null;
  externalLink: string | null;
  linkShortening: { isEnabled: boolean; config: { domain: string; name: string } | null };
  postingGoal: { goal: number; sentCount: number; scheduledCount: number } | null;
  hasActiveMemberDevice: boolean;
  showTrendingTopicSuggestions: boolean;
  weeklyPostingLimit: number | null;
  createdAt: string;
  updatedAt: string;
}

export interface ConnectedAppRecord {
  clientId: string;
  userId: string;
  name: string;
  description: string;
  website: string;
  createdAt: string;
  category: 'mcp' | null;
  scopes: string[];
}

/** Accounts, organizations and channels; lists keep their order. Nothing here checks who asks: the resolvers do. */
export interface DirectoryData {
  findAccount(accountId: string): AccountRecord | undefined;
  organizationsOf(accountId: string): OrganizationRecord[];
  channelsOf(organizationId: string): ChannelRecord[];
  findChannel(channelId: string): ChannelRecord | undefined;
  connectedAppsOf(accountId: string): ConnectedAppRecord[];
}

/** What the main API reads and writes. */
export interface MainApiData extends DirectoryData {
  posts: PostsData;
  ideas: IdeasData;
  snippets: SnippetsData;
}
