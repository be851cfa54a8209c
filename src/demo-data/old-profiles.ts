import { serviceName } from '../domain/translation/networks.ts';
import { DEMO_PEOPLE } from './people.ts';

/**
 * The profiles of the people of the demo at the old API. The two who can sign in have the same ones at the embedded new
 * API, under the same ids (test/processes/start/demo-old-api.full.test.ts).
 */

/** What a profile is made of: the last digits of its id, then the names that the old API had for its fields. */
interface ProfileSeed {
  last: string;
  service: string;
  type: string;
  serviceId: string;
  username: string;
  shown: string;
  zone: string;
  createdAt: string;
}

type SeedRow = readonly [last: string, service: string, type: string, serviceId: string, username: string];

const seed = ([last, service, type, serviceId, username]: SeedRow, since: string, shown = username) =>
  ({ last, service, type, serviceId, username, shown, zone: 'Europe/Berlin', createdAt: since }) as const;

const BAKERY = 'Dana’s Bakery';

const OF_DANA: readonly ProfileSeed[] = [
  seed(['01', 'twitter', 'profile', '164724445', 'danasbakery'], '2016-04-11T08:15:02Z', '@danasbakery'),
  seed(['02', 'facebook', 'page', '204511239841267', BAKERY], '2016-05-02T14:40:55Z'),
  seed(['03', 'instagram', 'business', '17841401234567890', 'danas.bakery'], '2018-01-19T10:02:17Z', BAKERY),
  {
    ...seed(
      ['05', 'linkedin', 'page', 'urn:li:organization:90215573', 'Riverside Running Club'],
      '2020-06-30T19:11:20Z',
    ),
    zone: 'Europe/London',
  },
  seed(['09', 'pinterest', 'business', '612489793100458821', 'danasbakery'], '2023-02-14T16:20:09Z', BAKERY),
];

const OF_SAM: readonly ProfileSeed[] = [
  {
    ...seed(
      ['08', 'pinterest', 'business', '549755885175', 'secondstreetrecords'],
      '2019-10-02T17:52:40Z',
      'Second Street Records',
    ),
    zone: 'America/New_York',
  },
];

const SCHEDULES = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], times: ['08:30', '17:45'] }];

function profileOf(userId: string, described: ProfileSeed) {
  const id = `5e1f0c9a7b3d4e2f8a6c3d${described.last}`;
  const avatar = `https://images.grantbridge.example/channels/${described.service}.png`;
  return {
    id,
    _id: id,
    avatar,
    avatar_https: avatar,
    created_at: Math.floor(Date.parse(described.createdAt) / 1000),
    default: true,
    formatted_service: serviceName(described.service) ?? described.service,
    formatted_username: described.shown,
    schedules: SCHEDULES,
    service: described.service,
    service_id: described.serviceId,
    service_type: described.type,
    service_username: described.username,
    timezone: described.zone,
    user_id: userId,
  };
}

/** The profiles of an account. Of a person who is only a name in the demo the old API has one. */
export function oldProfiles(userId: string, name: string) {
  if (userId === DEMO_PEOPLE.dana.accountId) return OF_DANA.map((one) => profileOf(userId, one));
  if (userId === DEMO_PEOPLE.sam.accountId) return OF_SAM.map((one) => profileOf(userId, one));
  const username = name.toLowerCase().replaceAll(/[^a-z]+/g, '');
  const only = seed(['ff', 'twitter', 'profile', '1', username], '2017-01-01T09:00:00Z', `@${username}`);
  const id = `5e1f0c9a7b3d4e2f8a6c${userId.slice(-4)}`;
  return [{ ...profileOf(userId, only), id, _id: id, service_id: `9${userId.slice(-3)}` }];
}
