import { rmSync } from 'node:fs';
import { DateTime } from 'luxon';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { runModern } from '../support/modern.ts';
import { BAKERY, channel, DAY, POST, RECORDS, RUNNERS } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- whole posts
let posts: any[];
withPosts();
beforeAll(async () => {
  posts = [...(await whole(BAKERY)), ...(await whole(RUNNERS))];
});

async function whole(organizationId: string, as?: string) {
  const query = `query($input: PostsInput!) { posts(input: $input, first: 100) { edges { node { ${POST} } } } }`;
  const { body } = await ground.ask(query, { input: { organizationId } }, as);
  expect(body.errors).toBeUndefined();
  return body.data.posts.edges.map(({ node }: { node: object }) => node);
}

test('the demo account has forty posts over three weeks, in every status and on every service', () => {
  expect(posts).toHaveLength(40);
  const statuses = new Set<string>(posts.map(({ status }) => status));
  expect([...statuses].toSorted()).toEqual(['draft', 'error', 'needs_approval', 'scheduled', 'sent']);
  expect(new Set(posts.map(({ channelService }) => channelService)).size).toBe(12);
  const days = posts.flatMap(({ dueAt }) => (dueAt ? [(Date.parse(dueAt) - Date.now()) / DAY] : []));
  expect(Math.min(...days)).toBeGreaterThan(-15.1);
  expect(Math.min(...days)).toBeLessThan(-13);
  expect(Math.max(...days)).toBeLessThan(8);
  expect(Math.max(...days)).toBeGreaterThan(5);
});

test('what was sent lies behind, what is scheduled ahead, and nothing was made in the future', () => {
  const now = Date.now();
  for (const { status, dueAt, sentAt, createdAt } of posts) {
    expect(Date.parse(createdAt)).toBeLessThan(now);
    expect(sentAt !== null).toBe(status === 'sent');
    if (status === 'sent') expect(Date.parse(sentAt)).toBeLessThan(now);
    if (status === 'scheduled') expect(Date.parse(dueAt)).toBeGreaterThan(now);
  }
});

test('there are pictures, threads, tags and reasons for what failed', () => {
  const count = (has: (post: (typeof posts)[0]) => boolean) => posts.filter(has).length;
  expect(count(({ assets }) => assets.length > 0)).toBeGreaterThan(12);
  expect(count(({ metadata }) => metadata?.threadCount > 1)).toBe(2);
  expect(count(({ tags }) => tags.length > 0)).toBeGreaterThan(25);
  expect(posts.filter(({ status }) => status === 'error').map(({ error }) => error.message)).toEqual([
    expect.any(String),
    expect.any(String),
  ]);
});

test('queued posts stand at times of their channels’ schedules', () => {
  const queued = posts.filter(
    ({ status, shareMode }) => status === 'scheduled' && shareMode === 'addToQueue',
  );
  expect(queued.length).toBeGreaterThan(4);
  for (const { channelId, dueAt } of queued) {
    const document = ground.db.prepare('select document from channels where id = ?').pluck().get(channelId);
    const { timezone, postingSchedule } = JSON.parse(String(document));
    const local = DateTime.fromISO(dueAt, { zone: timezone });
    expect(postingSchedule[local.weekday - 1].times).toContain(local.toFormat('HH:mm'));
  }
});

test('every address is one that nobody owns', () => {
  const addresses = JSON.stringify(posts).match(/https?:\/\/[^/"\\]+/g) ?? [];
  expect(addresses.length).toBeGreaterThan(40);
  expect(addresses.filter((address) => !address.endsWith('.example'))).toEqual([]);
});

test('the second account has three of its own', async () => {
  const own = await whole(RECORDS, ground.stranger);
  expect(own.map(({ channelId }: { channelId: string }) => channelId)).toEqual(
    Array(3).fill(channel('3d08')),
  );
});

test('every channel has the metadata of its service', async () => {
  const query = `query($input: ChannelsInput!) { channels(input: $input) { service metadata { __typename
    ... on PinterestMetadata { boards { serviceId name url } } ... on FacebookMetadata { locationData { location } }
    ... on GoogleBusinessMetadata { locationData { location mapsLink } } ... on TiktokMetadata { defaultToReminders } }
    postingGoal { goal status periodStart periodEnd } linkShortening { __typename } allowedActions weeklyPostingLimit { limit } } }`;
  const lists = await Promise.all(
    [BAKERY, RUNNERS].map((organizationId) => ground.ask(query, { input: { organizationId } })),
  );
  const channels = lists.flatMap(({ body }) => body.data.channels);
  expect(channels).toHaveLength(12);
  const without: string[] = channels
    .filter(({ metadata }) => metadata === null)
    .map(({ service }) => service);
  expect(without.toSorted()).toEqual(['startPage', 'threads']);
  expect(new Set(channels.map(({ metadata }) => metadata?.__typename)).size).toBe(11);
});

test('a second start adds nothing, changes nothing and brings nothing back', async () => {
  const first = await runModern();
  await first.server.close();
  const { databaseFile } = first.settings;
  const read = () => {
    const db = new Sqlite(databaseFile);
    const rows = ['posts', 'tags', 'post_tags', 'channels', 'ideas', 'idea_groups', 'snippets'].map((table) =>
      db.prepare(`select * from ${table} order by 1, 2`).all(),
    );
    db.close();
    return rows;
  };
  const db = new Sqlite(databaseFile);
  db.prepare("delete from posts where status = 'draft'").run();
  db.prepare('delete from snippets where name = ?').run('Hashtags');
  db.close();
  const before = read();
  const second = await runModern({ databaseFile });
  await second.stop();
  expect(read()).toEqual(before);
  rmSync(first.folder, { recursive: true });
});
