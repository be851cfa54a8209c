import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { createKey, keyOn } from '../support/api-keys.ts';
import { BAKERY, channel, DAY, iso, RECORDS, TWITTER } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';
import { signedIn } from '../support/settings.ts';

const QUERY = `query($input: AggregatedPostMetricsInput!) { aggregatedPostMetrics(input: $input) {
  metrics { type name description value unit } metricsUpdatedAt } }`;

let browser: CookieWalker;
let key: string;
withPosts();
beforeAll(async () => {
  browser = await signedIn(ground.base);
  key = `Bearer ${keyOn(await createKey(ground.base, browser))}`;
});

const now = Date.now();
const range = (more: object = {}) => ({
  organizationId: BAKERY,
  startDateTime: iso(now - 300 * DAY),
  endDateTime: iso(now),
  ...more,
});

const ask = (input: object, as = key) => ground.ask(QUERY, { input }, as);

async function posts(input: object): Promise<number> {
  const { body } = await ask(range(input));
  return body.data.aggregatedPostMetrics.metrics[0].value;
}

/** A sent post of the channel, at that time. */
async function sent(channelId: string, at: number, more: object = {}): Promise<void> {
  const { id } = await ground.made({ channelId, mode: 'shareNow', ...more });
  ground.db.prepare('update posts set sent_at = ? where id = ?').run(at, id);
}

test('it is postCount, reactions and comments; of these only the posts are known here', async () => {
  const channelId = ground.addChannel();
  await sent(channelId, now - DAY);
  await sent(channelId, now - DAY);
  const { body } = await ask(range({ channelIds: [channelId] }));
  const count = { description: expect.any(String), unit: 'count' };
  expect(body.data.aggregatedPostMetrics).toEqual({
    metrics: [
      { type: 'postCount', name: 'Posts', value: 2, ...count },
      { type: 'reactions', name: 'Reactions', value: 0, ...count },
      { type: 'comments', name: 'Comments', value: 0, ...count },
    ],
    metricsUpdatedAt: null,
  });
});

test('what was sent counts, from the start to the end of the last day in UTC', async () => {
  const channelId = ground.addChannel();
  const midnight = Date.parse('2026-03-10T00:00:00Z');
  await sent(channelId, midnight - 1);
  await sent(channelId, midnight);
  await sent(channelId, midnight + 2 * DAY - 1);
  await sent(channelId, midnight + 2 * DAY);
  await ground.made({ channelId });
  await ground.made({ channelId, saveToDraft: true });
  const days = { startDateTime: '2026-03-10T00:00:00Z', endDateTime: '2026-03-11T00:00:00Z' };
  expect(await posts({ channelIds: [channelId], ...days })).toBe(2);
});

test('channels and tags narrow it, an empty list of channels matches nothing', async () => {
  const [one, other] = [ground.addChannel(), ground.addChannel()];
  const tag = '5e1f0c9a7b3d4e2f8a6c6e02';
  await sent(one, now - DAY, { tagIds: [tag] });
  await sent(other, now - DAY);
  const both = { channelIds: [one, other] };
  expect(await posts(both)).toBe(2);
  expect(await posts({ ...both, tags: { in: [tag] } })).toBe(1);
  expect(await posts({ ...both, tags: { in: [], isEmpty: true } })).toBe(1);
  expect(await posts({ channelIds: [] })).toBe(0);
  expect(await posts({})).toBeGreaterThan(2);
  expect(await posts({ channelIds: [channel('3d08')] })).toBe(0);
});

test('an app is refused whatever its scopes, and a key is not', async () => {
  const { body, status } = await ask(range(), ground.owner);
  expect([status, body.data, body.errors[0].extensions.code, body.errors[0].message]).toEqual([
    200,
    null,
    'FORBIDDEN',
    'Only a personal API key may ask for this',
  ]);
});

test.each([
  ['an end before the start', { endDateTime: iso(now - 301 * DAY) }, 'BAD_USER_INPUT'],
  ['366 days', { startDateTime: iso(now - 366 * DAY) }, 'BAD_USER_INPUT'],
  ['101 channels', { channelIds: Array(101).fill(TWITTER) }, 'BAD_USER_INPUT'],
  ['another person’s organization', { organizationId: RECORDS }, 'NOT_FOUND'],
])('%s is an error of the query', async (_what, more, code) => {
  const { body } = await ask(range(more));
  expect(body.errors[0].extensions.code).toBe(code);
});

test('365 days are not too many', async () => {
  expect(await posts({ startDateTime: iso(now - 365 * DAY) })).toBeGreaterThanOrEqual(0);
});
