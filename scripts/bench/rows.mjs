// What the bridge and its peers agree on: the tokens of a benchmark and what stands behind each, apps and codes.
import { createHash } from 'node:crypto';

/** Few enough for one statement of either database. */
export const ROWS_AT_ONCE = 500;

/** An id as the bridge and the new API have them. */
export const idOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** The old token of an index, in the form of the old API. */
export const tokenOf = (index) => `1/${index.toString(16).padStart(32, '0')}`;

export const indexOf = (token) => Number.parseInt(token.slice(2), 16);

export const APPS = 50;

/** The app of a token or code. */
export const clientIdOf = (index) => idOf(`app ${index % APPS}`);

export const secretOf = (clientId) => `secret-of-${clientId}`;

/** The callback of every app. */
export const CALLBACK = 'https://app.example/callback';

/** The old code of an index, in the form of the old API. */
export const codeOf = (index) => `1/${index.toString(36).padStart(32, '0')}`;

export const accountIdOf = (index) => idOf(`account ${index}`);

export const organizationIdOf = (index) => index.toString(16).padStart(24, '0');

export const channelIdOf = (index, number) =>
  `${index.toString(16).padStart(20, '0')}${number.toString().padStart(4, '0')}`;

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri'];

/** Three channels, as the new API gives them. */
export function channelsOf(index) {
  return ['twitter', 'facebook', 'linkedin'].map((service, number) => ({
    id: channelIdOf(index, number),
    organizationId: organizationIdOf(index),
    name: `person${index}`,
    displayName: `Person ${index}`,
    descriptor: 'Profile',
    service,
    serviceId: `${service}-${index}`,
    type: 'profile',
    avatar: `https://images.example/${service}/${index}.jpg`,
    timezone: 'Europe/Berlin',
    isDisconnected: false,
    isLocked: false,
    isQueuePaused: false,
    createdAt: '2020-01-01T00:00:00.000Z',
    postingSchedule: DAYS.map((day) => ({ day, times: ['09:00', '12:30', '17:45'] })),
  }));
}

/** The account, as the new API gives it. */
export const accountOf = (index) => ({
  id: accountIdOf(index),
  email: `p${index}@example.org`,
  name: `Person ${index}`,
  timezone: 'UTC',
  createdAt: '2020-01-01T00:00:00.000Z',
  organizations: [{ id: organizationIdOf(index) }],
});

/** So many posts make an answer about as long as `profiles.json`. */
export const POSTS = 4;

/** The posts of one list of the first channel, as the new API gives them. */
export function postsOf(index, list) {
  const isSent = list === 'sent';
  return Array.from({ length: POSTS }, (_, number) => ({
    id: `${isSent ? 'b' : 'a'}${number}${index.toString(16).padStart(22, '0')}`,
    status: isSent ? 'sent' : 'scheduled',
    via: 'api',
    createdAt: `2024-03-0${number + 1}T09:00:00.000Z`,
    updatedAt: `2024-03-0${number + 1}T10:00:00.000Z`,
    dueAt: `2024-04-0${number + 1}T12:30:00.000Z`,
    sentAt: isSent ? `2024-04-0${number + 1}T12:30:04.000Z` : null,
    text: `What is new this week, part ${number}: https://news.example/${index}/${number}?a=1&b=2 and more of it`,
    channelId: channelIdOf(index, 0),
    channelService: 'twitter',
    sharedNow: false,
    author: { id: accountIdOf(index) },
    assets: [],
    metadata: null,
  }));
}
