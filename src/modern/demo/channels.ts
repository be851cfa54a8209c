import type { ChannelRecord } from '../main-api/data.ts';
import { weekly, workweek } from './schedules.ts';

type Described = Pick<
  ChannelRecord,
  | 'id'
  | 'organizationId'
  | 'name'
  | 'displayName'
  | 'descriptor'
  | 'service'
  | 'serviceId'
  | 'type'
  | 'timezone'
  | 'postingSchedule'
  | 'createdAt'
> &
  Partial<ChannelRecord>;

/** The fields that most channels share, under those that were described. */
function channel(described: Described): ChannelRecord {
  return {
    avatar: `https://images.grantbridge.example/channels/${described.service}.png`,
    isDisconnected: false,
    isLocked: false,
    isQueuePaused: false,
    isNew: false,
    products: ['publish'],
    scopes: [],
    allowedActions: [],
    metadata: null,
    externalLink: null,
    linkShortening: { isEnabled: false, config: null },
    postingGoal: null,
    hasActiveMemberDevice: false,
    showTrendingTopicSuggestions: false,
    weeklyPostingLimit: null,
    updatedAt: '2026-09-30T06:00:00.000Z',
    ...described,
  };
}

const BAKERY = '5e1f0c9a7b3d4e2f8a6c2d01';
const RUNNERS = '5e1f0c9a7b3d4e2f8a6c2d02';
const RECORDS = '5e1f0c9a7b3d4e2f8a6c2d03';

/** Seven channels of the first person in her two organizations, one of the second person; in the order they are listed. */
export const demoChannels: ChannelRecord[] = [
  channel({
    id: '5e1f0c9a7b3d4e2f8a6c3d01',
    organizationId: BAKERY,
    name: 'danasbakery',
    displayName: 'Dana’s Bakery',
    descriptor: 'Twitter Profile',
    service: 'twitter',
    serviceId: '164724445',
    type: 'profile',
    timezone: 'Europe/Berlin',
    postingSchedule: workweek(['08:30', '12:15', '17:45'], ['10:00']),
    products: ['publish', 'analyze'],
    metadata: { __typename: 'TwitterMetadata', subscriptionType: 'none' },
    externalLink: 'https://twitter.example/danasbakery',
    linkShortening: { isEnabled: true, config: { domain: 'buff.example', name: 'buff.example' } },
    postingGoal: { goal: 5, sentCount: 3, scheduledCount: 2 },
    createdAt: '2016-04-11T08:15:02.118Z',
  }),
  channel({
    id: '5e1f0c9a7b3d4e2f8a6c3d02',
    organizationId: BAKERY,
    name: 'Dana’s Bakery',
    displayName: 'Dana’s Bakery',
    descriptor: 'Facebook Page',
    service: 'facebook',
    serviceId: '204511239841267',
    type: 'page',
    timezone: 'Europe/Berlin',
    postingSchedule: weekly({ tue: ['09:05'], thu: ['09:05'], sat: ['11:20'] }),
    isDisconnected: true,
    products: ['publish', 'analyze', 'engage'],
    externalLink: 'https://facebook.example/danasbakery',
    createdAt: '2016-05-02T14:40:55.730Z',
  }),
  channel({
    id: '5e1f0c9a7b3d4e2f8a6c3d03',
    organizationId: BAKERY,
    name: 'danas.bakery',
    displayName: 'Dana’s Bakery',
    descriptor: 'Instagram Professional Account',
    service: 'instagram',
    serviceId: '17841401234567890',
    type: 'business',
    timezone: 'Europe/Berlin',
    postingSchedule: workweek(['07:00', '18:30'], ['09:30', '20:00']),
    products: ['publish', 'analyze', 'engage'],
    externalLink: 'https://instagram.example/danas.bakery',
    hasActiveMemberDevice: true,
    createdAt: '2018-01-19T10:02:17.006Z',
  }),
  channel({
    id: '5e1f0c9a7b3d4e2f8a6c3d04',
    organizationId: BAKERY,
    name: 'Dana’s Bakery, Hafenstraße',
    displayName: null,
    descriptor: 'Google Business Profile',
    service: 'googlebusiness',
    serviceId: 'locations/11827364550912837465',
    type: 'business',
    timezone: 'Europe/Berlin',
    postingSchedule: weekly({ mon: ['08:00'] }),
    isLocked: true,
    metadata: { __typename: 'GoogleBusinessMetadata', location: 'Hafenstraße 12, Hamburg', mapsLink: null },
    createdAt: '2022-03-08T09:27:44.512Z',
  }),
  channel({
    id: '5e1f0c9a7b3d4e2f8a6c3d05',
    organizationId: RUNNERS,
    name: 'Riverside Running Club',
    displayName: 'Riverside Running Club',
    descriptor: 'LinkedIn Page',
    service: 'linkedin',
    serviceId: 'urn:li:organization:90215573',
    type: 'page',
    timezone: 'Europe/London',
    postingSchedule: workweek(['07:45']),
    externalLink: 'https://linkedin.example/company/riverside-running-club',
    createdAt: '2020-06-30T19:11:20.949Z',
  }),
  channel({
    id: '5e1f0c9a7b3d4e2f8a6c3d06',
    organizationId: RUNNERS,
    name: '@riverside@running.example',
    displayName: 'Riverside Runners',
    descriptor: 'Mastodon Account',
    service: 'mastodon',
    serviceId: '109276540123987654',
    type: 'account',
    timezone: 'Europe/London',
    postingSchedule: workweek(['06:30', '19:00'], ['08:00']),
    isQueuePaused: true,
    metadata: { __typename: 'MastodonMetadata', serverUrl: 'https://running.example' },
    createdAt: '2022-11-21T07:33:08.300Z',
  }),
  channel({
    id: '5e1f0c9a7b3d4e2f8a6c3d07',
    organizationId: RUNNERS,
    name: 'riverside.bsky.example',
    displayName: 'Riverside Runners',
    descriptor: 'Bluesky Account',
    service: 'bluesky',
    serviceId: 'did:plc:7k2mriversiderunnersdemo',
    type: 'profile',
    timezone: 'America/New_York',
    postingSchedule: weekly({ wed: ['12:00'], sun: ['08:00', '16:40'] }),
    isNew: true,
    metadata: { __typename: 'BlueskyMetadata', serverUrl: 'https://bsky.example' },
    createdAt: '2026-08-17T13:05:51.077Z',
  }),
  channel({
    id: '5e1f0c9a7b3d4e2f8a6c3d08',
    organizationId: RECORDS,
    name: 'secondstreetrecords',
    displayName: 'Second Street Records',
    descriptor: 'Pinterest Business Account',
    service: 'pinterest',
    serviceId: '549755885175',
    type: 'business',
    timezone: 'America/New_York',
    postingSchedule: weekly({ fri: ['16:00'] }),
    createdAt: '2019-10-02T17:52:40.615Z',
  }),
];
