// What the bridge and its peers agree on: the tokens of a benchmark and the channels behind each.

/** Few enough for one statement of either database. */
export const ROWS_AT_ONCE = 500;

/** The old token of an index, in the form of the old API. */
export const tokenOf = (index) => `1/${index.toString(16).padStart(32, '0')}`;

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri'];

/** Three channels, as the new API gives them. */
export function channelsOf(index) {
  return ['twitter', 'facebook', 'linkedin'].map((service, number) => ({
    id: `${index.toString(16).padStart(20, '0')}${number.toString().padStart(4, '0')}`,
    organizationId: index.toString(16).padStart(24, '0'),
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
