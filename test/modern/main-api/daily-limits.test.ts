import { channel, DAY, iso, TWITTER, video } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

const RUNNERS_CHANNEL = channel('3d05');
const LIMIT = 10;

let channelId: string;
withPosts();
beforeEach(() => {
  // It is the middle of the day there whenever this runs, so that no day ends while it does.
  const hour = new Date().getUTCHours();
  channelId = ground.addChannel({ service: 'youtube', timezone: `Etc/GMT${signed(hour - 12)}` });
});

/** Etc/GMT+5 is five hours behind UTC. */
const signed = (hours: number) => (hours < 0 ? String(hours) : `+${hours}`);

const film = (more: object = {}) => ({
  channelId,
  assets: [video],
  metadata: { youtube: { title: 'Rolls', categoryId: '26' } },
  mode: 'customScheduled',
  dueAt: iso(Date.now() + DAY),
  ...more,
});

async function films(count: number, more: object = {}) {
  const made = Array.from({ length: count }, () => ground.made(film(more)));
  return Promise.all(made);
}

const QUERY = `query($input: DailyPostingLimitsInput!) { dailyPostingLimits(input: $input) {
  channelId sent scheduled limit isAtLimit } }`;

async function limits(input: object, as?: string) {
  const { body } = await ground.ask(QUERY, { input }, as);
  return body.data?.dailyPostingLimits ?? body.errors[0];
}

const FULL = {
  __typename: 'RestProxyError',
  message: 'This channel takes 10 posts a day. Choose another day.',
  code: 1023,
  link: null,
};

test('counts what was sent and what is scheduled on the day, in the zone of the channel', async () => {
  await films(2, { mode: 'shareNow' });
  await films(3);
  await films(1, { saveToDraft: true });
  const today = { channelId, sent: 2, scheduled: 0, limit: LIMIT, isAtLimit: false };
  expect(await limits({ channelIds: [channelId] })).toEqual([today]);
  const tomorrow = { ...today, sent: 0, scheduled: 3 };
  // Ten hours before and after noon are the same day there, and another one in UTC.
  const dates = [DAY - 10 * 3_600_000, DAY + 10 * 3_600_000].map((later) => iso(Date.now() + later));
  const answers = await Promise.all(dates.map((date) => limits({ channelIds: [channelId], date })));
  expect(answers).toEqual([[tomorrow], [tomorrow]]);
});

test('answers for each channel in the order asked for, once, and with no limit where the network has none', async () => {
  const found = await limits({
    channelIds: [channelId, TWITTER, channelId],
    date: iso(Date.now() + 500 * DAY),
  });
  expect(found).toEqual([
    { channelId, sent: 0, scheduled: 0, limit: LIMIT, isAtLimit: false },
    { channelId: TWITTER, sent: 0, scheduled: 0, limit: null, isAtLimit: false },
  ]);
  expect(await limits({ channelIds: [] })).toEqual([]);
});

test('a full day takes no further post, by whichever way it comes, and says so in the older generation’s terms', async () => {
  const [first] = await films(LIMIT);
  const [status] = await limits({ channelIds: [channelId], date: first.dueAt });
  expect([status.scheduled, status.isAtLimit]).toEqual([LIMIT, true]);

  expect(await ground.create(film())).toEqual(FULL);
  const draft = await ground.made(film({ saveToDraft: true }));
  expect(await ground.edit({ id: draft.id, mode: 'customScheduled', dueAt: first.dueAt })).toEqual(FULL);
  expect((await ground.post(draft.id)).status).toBe('draft');

  const within = iso(Date.parse(first.dueAt) + 60_000);
  const moved = await ground.edit({ id: first.id, mode: 'customScheduled', dueAt: within });
  expect(moved.post.dueAt).toBe(within);
  const { post } = await ground.create(film({ mode: 'shareNow' }));
  expect(post.status).toBe('sent');

  await ground.remove(first.id);
  expect((await ground.create(film())).__typename).toBe('PostActionSuccess');
});

test('what was sent today leaves no room for shareNow', async () => {
  await films(LIMIT, { mode: 'shareNow' });
  expect(await ground.create(film({ mode: 'shareNow' }))).toEqual(FULL);
});

test('parallel posts do not get past the limit', async () => {
  const answers = await Promise.all(Array.from({ length: LIMIT + 5 }, () => ground.create(film())));
  const made = answers.filter(({ __typename }) => __typename === 'PostActionSuccess');
  expect([made.length, answers.length - made.length]).toEqual([LIMIT, 5]);
});

test.each([
  ['a channel that is not there', () => ['0'.repeat(24)], 'NOT_FOUND', 'Channel not found'],
  [
    'another person’s channel among own ones',
    () => [TWITTER, channel('3d08')],
    'NOT_FOUND',
    'Channel not found',
  ],
  [
    'channels of two organizations',
    () => [TWITTER, RUNNERS_CHANNEL],
    'BAD_USER_INPUT',
    'All channels in "channelIds" must belong to one organization',
  ],
  [
    'more than 100 channels',
    () => Array.from({ length: 101 }, () => TWITTER),
    'BAD_USER_INPUT',
    '"channelIds" takes at most 100 entries',
  ],
])('%s: an error of the query', async (_what, channelIds, code, message) => {
  const error = await limits({ channelIds: channelIds() });
  expect([error.extensions.code, error.message]).toEqual([code, message]);
});

test('needs posts:read', async () => {
  const writer = await ground.bearerFor('posts:write');
  expect((await limits({ channelIds: [TWITTER] }, writer)).extensions.code).toBe('FORBIDDEN');
});
