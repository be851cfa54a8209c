import { type CallPair, env, graphql, type GraphqlStep } from './call-pair.ts';
import { queryOfPosts } from './reads.ts';

/** The old calls that write updates, with the mutations of the new API that replace them. */

const POST = { isPost: true } as const;

const ID = { id: env('POST_ID') };

const TEXT = 'Fresh bread from six o’clock.';
const BETTER_TEXT = 'Fresh bread from seven o’clock.';

/** A refusal has status 200 too. Its payload is another type of the union, with a `message`. */
const payload = (fields: string) => `... on PostActionSuccess { post { ${fields} } }
    ... on MutationError { message }`;

const REFUSALS = 'A refusal has status 200 too: it is a `message` in the place of the post.';

const MEDIA = ['media', '`assets: [{ image: { url } }]`, or `video`'] as const;

const TIMING = [
  ['now', '`mode: shareNow`'],
  ['scheduled_at', '`mode: customScheduled`, with `dueAt` in ISO 8601'],
] as const;

export const createUpdatePair: CallPair = {
  does: 'A new update',
  old: {
    ...POST,
    form: [
      ['profile_ids[]', env('PROFILE_ID')],
      ['text', TEXT],
    ],
  },
  steps: [
    graphql(
      `mutation($channelId: ChannelId!, $text: String!) {
  createPost(input: {
    channelId: $channelId
    text: $text
    mode: addToQueue
    schedulingType: automatic
  }) {
    ${payload('id status dueAt')}
  }
}`,
      { channelId: env('CHANNEL_ID'), text: TEXT },
    ),
  ],
  words: `${REFUSALS} After an answer that was lost, look at the queue before you send the call again. Some services need \`metadata\`: \`type\` for Facebook, Google and Instagram, for Instagram with \`shouldShareToFeed\`; \`boardServiceId\` for Pinterest; \`title\` and \`categoryId\` for YouTube.`,
  renamed: [
    ['profile_ids[]', '`channelId`, one call for each'],
    ...TIMING,
    ['top', '`mode: shareNext`'],
    MEDIA,
    ['media[link]', '`metadata.facebook.linkAttachment`; so for `linkedin`, `threads` and `bluesky`'],
    ['retweet[tweet_id]', '`metadata.twitter.retweet.id`'],
    ['subprofile_ids[]', '`metadata.pinterest.boardServiceId`'],
    ['is_draft', '`saveToDraft: true`'],
    ['shorten', 'the link shortening of the channel, which a person sets'],
    ['attachment', 'give `linkAttachment`, or leave it out'],
  ],
};

export const changeUpdatePair: CallPair = {
  does: 'Another text for an update',
  old: { ...POST, form: [['text', BETTER_TEXT]] },
  steps: [
    graphql(
      `mutation($id: PostId!, $text: String!) {
  editPost(input: { id: $id, text: $text }) {
    ${payload('id text dueAt')}
  }
}`,
      { ...ID, text: BETTER_TEXT },
    ),
  ],
  words: `What the input leaves out stays as it is. ${REFUSALS}`,
  renamed: [MEDIA, ...TIMING],
};

export const shareUpdatePair: CallPair = {
  does: 'Send an update now',
  old: POST,
  steps: [
    graphql(
      `mutation($id: PostId!) {
  editPost(input: { id: $id, mode: shareNow }) {
    ${payload('id status sentAt')}
  }
}`,
      ID,
    ),
  ],
  words: REFUSALS,
  renamed: [],
};

export const destroyUpdatePair: CallPair = {
  does: 'Delete an update',
  old: POST,
  steps: [
    graphql(
      `mutation($id: PostId!) {
  deletePost(input: { id: $id }) {
    ... on DeletePostSuccess { id }
    ... on MutationError { message }
  }
}`,
      ID,
    ),
  ],
  words: REFUSALS,
  renamed: [],
};

export const moveUpdateToTopPair: CallPair = {
  does: 'Make an update the first of its queue',
  old: POST,
  steps: [
    graphql(
      `mutation($id: PostId!) {
  movePostInQueue(input: { id: $id, position: top }) {
    ${payload('id dueAt')}
  }
}`,
      ID,
    ),
  ],
  words: `The old call refuses a post that has a time of its own (\`customScheduled\`). At this call such a post gives it up: from then on it stands in the queue. ${REFUSALS}`,
  renamed: [],
};

function moves(title?: string): GraphqlStep {
  return graphql(
    `mutation($first: PostId!, $second: PostId!) {
  second: movePostInQueue(input: { id: $second, position: top }) {
    ${payload('id dueAt')}
  }
  first: movePostInQueue(input: { id: $first, position: top }) {
    ${payload('id dueAt')}
  }
}`,
    { first: env('POST_ID'), second: env('NEXT_POST_ID') },
    title,
  );
}

const ONE_BY_ONE =
  'Leave out posts with a time of their own (`isCustomScheduled`): a move takes it from them. Move the others to the top one after another, the last one first. One request does up to 30 moves, in the order in which they stand.';

export const reorderUpdatesPair: CallPair = {
  does: 'Another order for the queue',
  old: {
    ...POST,
    form: [
      ['order[]', env('UPDATE_ID')],
      ['order[]', env('NEXT_UPDATE_ID')],
    ],
  },
  steps: [moves()],
  words: ONE_BY_ONE,
  renamed: [['order[]', '`id` of each move']],
};

export const shuffleUpdatesPair: CallPair = {
  does: 'The queue in a random order',
  old: POST,
  steps: [
    graphql(
      queryOfPosts('scheduled', 'asc', 'id isCustomScheduled'),
      { organizationId: env('ORGANIZATION_ID'), channelId: env('CHANNEL_ID') },
      'First the queue',
    ),
    moves('Then the moves, in an order that your program draws'),
  ],
  words: ONE_BY_ONE,
  renamed: [['count', 'how many updates the old answer had; the whole queue was shuffled']],
};
