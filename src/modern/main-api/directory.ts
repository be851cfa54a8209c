/**
 * The records of accounts, organizations and channels in the shape that the schema serves, and the interface that reads
 * and changes the records. Ids are 24 hexadecimal characters. Times are ISO 8601 with milliseconds.
 */

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

/** An absent field keeps the old value; null clears the value. */
export interface AccountChanges {
  name?: string;
  timezone?: string | null;
  preferences?: { [Name in keyof AccountRecord['preferences']]?: AccountRecord['preferences'][Name] | null };
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

/** The record has no `channelCount`: the resolver counts the channels. */
export interface OrganizationRecord {
  id: string;
  name: string;
  ownerEmail: string;
  members: { totalCount: number };
  shouldEnforce2FASetup: boolean;
  limits: OrganizationLimits;
}

export type Service =
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

/** `times` are HH:MM in the time zone of the channel. */
export interface ScheduleRecord {
  day: DayOfWeek;
  times: string[];
  paused: boolean;
}

interface BoardRecord {
  id: string;
  serviceId: string;
  name: string;
  url: string;
  description: string | null;
  avatar: string | null;
}

interface LocationRecord {
  location: string | null;
  mapsLink: string | null;
  googleAccountId: string | null;
}

type ChannelMetadataRecord =
  | {
      __typename: 'InstagramMetadata' | 'TiktokMetadata' | 'YoutubeMetadata';
      defaultToReminders: boolean;
    }
  | { __typename: 'PinterestMetadata'; boards: BoardRecord[] }
  | { __typename: 'MastodonMetadata'; serverUrl: string; maxCharacters: number }
  | { __typename: 'BlueskyMetadata'; serverUrl: string }
  | { __typename: 'GoogleBusinessMetadata' | 'FacebookMetadata'; locationData: LocationRecord | null }
  | { __typename: 'TwitterMetadata'; subscriptionType: string | null }
  | { __typename: 'LinkedInMetadata'; shouldShowLinkedinAnalyticsRefreshBanner: boolean };

interface PostingGoalRecord {
  goal: number;
  sentCount: number;
  scheduledCount: number;
  status: 'OnTrack' | 'AtRisk' | 'Hit';
  periodStart: string;
  periodEnd: string;
}

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
  postingGoal: PostingGoalRecord | null;
  hasActiveMemberDevice: boolean;
  showTrendingTopicSuggestions: boolean;
  weeklyPostingLimit: { sent: number; scheduled: number; limit: number } | null;
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

/**
 * Accounts, organizations and channels; lists keep their order. The resolvers check the caller; this interface does
 * not.
 */
export interface DirectoryData {
  findAccount(accountId: string): AccountRecord | undefined;
  /** Returns the changed account, or undefined for an unknown id. */
  updateAccount(accountId: string, changes: AccountChanges): AccountRecord | undefined;
  organizationsOf(accountId: string): OrganizationRecord[];
  channelsOf(organizationId: string): ChannelRecord[];
  findChannel(channelId: string): ChannelRecord | undefined;
  connectedAppsOf(accountId: string): ConnectedAppRecord[];
}
