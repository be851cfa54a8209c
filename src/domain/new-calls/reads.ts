import { type CallPair, env, graphql, READ } from './call-pair.ts';

/** The old calls that read accounts, profiles and updates, with the queries of the new API that replace them. */

const CHANNEL = { id: env('CHANNEL_ID') };

const LIST = { organizationId: env('ORGANIZATION_ID'), channelId: env('CHANNEL_ID') };

/** A query for the posts of a channel that have one of the given statuses. */
export const queryOfPosts = (status: string, direction: string, fields: string) =>
  `query($organizationId: OrganizationId!, $channelId: ChannelId!) {
  posts(
    first: 20
    input: {
      organizationId: $organizationId
      filter: { channelIds: [$channelId], status: [${status}] }
      sort: [{ field: dueAt, direction: ${direction} }]
    }
  ) {
    edges { node { ${fields} } }
    pageInfo { endCursor hasNextPage }
  }
}`;

const PAGES =
  'There is no total, and no page by its number. Give the `endCursor` of a page as `after` to read the next one.';

const LIST_RENAMED = [
  ['count', '`first`'],
  ['page', '`after`'],
  ['updates', '`edges[].node`'],
] as const;

const TIMES = ['due_at, created_at', '`dueAt`, `createdAt`, in ISO 8601'] as const;

export const userPair: CallPair = {
  does: 'The account',
  old: READ,
  steps: [graphql('{ account { id email name timezone createdAt } }')],
  words: 'Nothing tells `plan` and `activity_at` any more.',
  renamed: [['created_at', '`createdAt`, in ISO 8601']],
};

export const profilesPair: CallPair = {
  does: 'All profiles, which are channels now',
  old: READ,
  steps: [
    graphql('{ account { organizations { id name } } }', {}, 'First the organizations'),
    graphql(
      `query($organizationId: OrganizationId!) {
  channels(input: { organizationId: $organizationId }) {
    id service serviceId type name displayName avatar timezone
    metadata { ... on PinterestMetadata { boards { serviceId name } } }
  }
}`,
      { organizationId: env('ORGANIZATION_ID') },
      'Then the channels of each',
    ),
  ],
  words: 'Channels belong to an organization, and an account may have several.',
  renamed: [
    ['service_id', '`serviceId`'],
    ['service_type', '`type`'],
    ['service_username', '`name`'],
    ['formatted_username', '`displayName`'],
    ['avatar_https', '`avatar`'],
    ['schedules', '`postingSchedule`'],
    ['subprofiles', '`metadata.boards` of a Pinterest channel; `id` is `serviceId`'],
    ['paused, disabled, disconnected', '`isQueuePaused`, `isLocked`, `isDisconnected`'],
  ],
};

export const profilePair: CallPair = {
  does: 'One profile',
  old: READ,
  steps: [
    graphql(
      `query($id: ChannelId!) {
  channel(input: { id: $id }) {
    id service serviceId type name displayName avatar timezone
  }
}`,
      CHANNEL,
    ),
  ],
  words: 'The fields have the same new names as in the list of all profiles.',
  renamed: [],
};

export const schedulesPair: CallPair = {
  does: 'The posting times of a profile',
  old: READ,
  steps: [
    graphql(
      `query($id: ChannelId!) {
  channel(input: { id: $id }) {
    timezone
    postingSchedule { day times paused }
  }
}`,
      CHANNEL,
    ),
  ],
  words: 'There is one row for each day of the week; the old API put days with the same times together.',
  renamed: [['days', '`day`']],
};

export const pendingUpdatesPair: CallPair = {
  does: 'The queue of a profile',
  old: { ...READ, query: [['count', '20']] },
  steps: [graphql(queryOfPosts('scheduled, sending, error', 'asc', 'id status text dueAt'), LIST)],
  words: `${PAGES} With the status \`error\` a post could not be sent and waits for a person.`,
  renamed: [...LIST_RENAMED, ['since', '`filter.createdAt.start`'], TIMES],
};

export const sentUpdatesPair: CallPair = {
  does: 'What a profile has sent',
  old: { ...READ, query: [['count', '20']] },
  steps: [graphql(queryOfPosts('sent', 'desc', 'id text sentAt externalLink'), LIST)],
  words: PAGES,
  renamed: [
    ...LIST_RENAMED,
    [
      'since',
      'no filter, for a post may be made long before it is sent: read on until `sentAt` is earlier. The order is by `dueAt`, so a post that was sent late stands further behind',
    ],
    ['sent_at', '`sentAt`, in ISO 8601'],
    ['service_update_id', '`externalLink`, the address of the post'],
  ],
};

export const updatePair: CallPair = {
  does: 'One update, which is a post now',
  old: READ,
  steps: [
    graphql(
      `query($id: PostId!) {
  post(input: { id: $id }) {
    id status text dueAt sentAt channelId channelService
    assets { type source thumbnail }
  }
}`,
      { id: env('POST_ID') },
    ),
  ],
  words: 'The status `buffer` is called `scheduled`.',
  renamed: [
    TIMES,
    ['day, due_time', '`dueAt`, counted in the time zone of the channel'],
    ['profile_id, profile_service', '`channelId`, `channelService`'],
    ['media', '`assets`'],
    ['user_id', '`author.id`'],
  ],
};
