import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { demoChannels } from '../../../src/modern/demo/channels.ts';
import { demoPeople } from '../../../src/modern/demo/people.ts';
import { projectRoot } from '../../../src/shared/project-root.ts';
import { asker, bearerFor, whileWritesFail } from '../support/api-caller.ts';
import { runModern } from '../support/modern.ts';
import { BAKERY, channel, document, image, RECORDS, RUNNERS } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

const MASTODON = channel('3d06');

withPosts();

const fields = async (id: string, selection: string) => {
  const query = `query($id: PostId!) { post(input: { id: $id }) { ${selection} } }`;
  const { body } = await ground.ask(query, { id });
  expect(body.errors).toBeUndefined();
  return body.data.post;
};

describe('what posts say', () => {
  test('the titles of a video and a document, and the frame that was chosen', async () => {
    const metadata = { title: 'Rolls', thumbnailOffset: 1500 };
    const { id } = await ground.made({
      assets: [{ video: { url: 'https://films.example/a.mp4', metadata } }, document],
    });
    const { assets } = await fields(
      id,
      `assets { ... on VideoAsset { video { title thumbnailOffset } } ... on DocumentAsset { document { title } } }`,
    );
    expect(assets).toEqual([{ video: metadata }, { document: { title: 'A' } }]);
  });

  test('a video takes no picture of its own', async () => {
    const video = { url: 'https://films.example/a.mp4', thumbnailUrl: 'https://films.example/a.png' };
    expect(await ground.refusal({ assets: [{ video }] })).toEqual([
      'InvalidInputError',
      'Invalid post: A video takes no thumbnailUrl. Choose one of its frames by metadata.thumbnailOffset.',
    ]);
  });

  test.each([true, false, undefined])('that an Instagram post was made by AI: %s', async (isAiGenerated) => {
    const instagram = { type: 'post', shouldShareToFeed: true, isAiGenerated };
    const { id } = await ground.made({
      channelId: channel('3d03'),
      assets: [image],
      metadata: { instagram },
    });
    const { metadata } = await fields(id, 'metadata { ... on InstagramPostMetadata { isAiGenerated } }');
    expect(metadata).toEqual({ isAiGenerated: isAiGenerated === true });
  });

  test('the name of a tag’s colour, and null for one that is not of the palette', async () => {
    const ids = ['01', '02', '03', '04'].map((end) => `5e1f0c9a7b3d4e2f8a6c6e${end}`);
    const { tags } = await ground.made({ tagIds: ids });
    const colours = tags.map(({ name, colorName }: { name: string; colorName: string }) => [name, colorName]);
    expect(colours).toEqual([
      ['breads', 'orange'],
      ['cakes', 'red'],
      ['everyday', null],
      ['orders', 'blue'],
    ]);
  });
});

describe('groups of ideas', () => {
  const QUERY = 'query($input: IdeaGroupsInput!) { ideaGroups(input: $input) { id name isLocked } }';
  const groups = async (organizationId: string, as?: string) => {
    const reader = as ?? (await ground.bearerFor('ideas:read'));
    const { body } = await ground.ask(QUERY, { input: { organizationId } }, reader);
    return body.data?.ideaGroups ?? body.errors[0].extensions.code;
  };

  test('come in the order they were made, and are those that ideas name', async () => {
    expect(await groups(BAKERY)).toEqual([
      { id: '5e1f0c9a7b3d4e2f8a6c7d01', name: 'Seasons', isLocked: false },
      { id: '5e1f0c9a7b3d4e2f8a6c7d02', name: 'Behind the counter', isLocked: false },
    ]);
  });

  test('are locked beyond what the plan covers', async () => {
    const insert = ground.db.prepare('insert into idea_groups (id, organization_id, name) values (?, ?, ?)');
    for (const name of ['a', 'b', 'c', 'd']) insert.run(`group-${name}`, RUNNERS, name);
    const locked = (await groups(RUNNERS)).map(({ isLocked }: { isLocked: boolean }) => isLocked);
    expect(locked).toEqual([false, false, false, true, true]);
  });

  test('of another person’s organization are NOT_FOUND, and ideas:read is needed', async () => {
    expect(await groups(RECORDS)).toBe('NOT_FOUND');
    expect(await groups(BAKERY, ground.owner)).toBe('FORBIDDEN');
  });

  test('the colours of an idea’s tags have names', async () => {
    const write = await ground.bearerFor('ideas:write');
    const colours = ['#f523F1', '#000000'];
    const tags = colours.map((color) => ({ id: color, name: color, color }));
    const query = `mutation($input: CreateIdeaInput!) { createIdea(input: $input) {
      ... on Idea { content { tags { colorName } } } } }`;
    const input = { organizationId: BAKERY, content: { title: 'Colours', tags } };
    const { body } = await ground.ask(query, { input }, write);
    expect(body.data.createIdea.content.tags).toEqual([{ colorName: 'pink' }, { colorName: null }]);
  });
});

/** The rows of a Mastodon channel as they were before its server's limit was kept, in a database of that time. */
function earlierDatabase(file: string): void {
  const folder = join(projectRoot, 'db', 'modern');
  const [person] = demoPeople;
  const record = demoChannels.find(({ id }) => id === MASTODON);
  const organization = person.organizations.find(({ id }) => id === RUNNERS);
  const db = new Sqlite(file);
  db.exec('create table migrations (name text primary key, applied_at text not null) strict');
  for (const name of readdirSync(folder).filter((one) => one < '006')) {
    db.exec(readFileSync(join(folder, name), 'utf8'));
    db.prepare('insert into migrations values (?, ?)').run(name, '2026-09-01T00:00:00.000Z');
  }
  const { id, email } = person.account;
  const metadata = { __typename: 'MastodonMetadata', serverUrl: 'https://running.example' };
  db.prepare('insert into accounts (id, email, password_hash, document) values (?, ?, ?, ?)').run(
    id,
    email,
    person.passwordHash,
    JSON.stringify(person.account),
  );
  db.prepare('insert into organizations values (?, ?, 1, ?)').run(RUNNERS, id, JSON.stringify(organization));
  db.prepare('insert into channels values (?, ?, 1, ?)').run(
    MASTODON,
    RUNNERS,
    JSON.stringify({ ...record, metadata }),
  );
  db.prepare('insert into tags values (?, ?, ?, ?, ?, 0)').run(
    'a'.repeat(24),
    RUNNERS,
    'old',
    '#C9822B',
    'amber',
  );
  db.close();
}

test('a database of before is taken over: its channels on Mastodon and its tags are served', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'modern-earlier-'));
  const databaseFile = join(folder, 'modern.db');
  earlierDatabase(databaseFile);
  const modern = await runModern({ databaseFile });
  try {
    const ask = asker(modern.server.url, await bearerFor(modern.server.url));
    const query = `{ channel(input: { id: "${MASTODON}" }) { metadata { ... on MastodonMetadata { serverUrl maxCharacters } } } }`;
    const { body } = await ask(query);
    expect(body.data.channel.metadata).toEqual({ serverUrl: 'https://running.example', maxCharacters: 500 });
    const create = `mutation($input: CreatePostInput!) { createPost(input: $input) {
      ... on PostActionSuccess { post { tags { name color colorName isLocked } } } } }`;
    const input = { channelId: MASTODON, schedulingType: 'automatic', mode: 'addToQueue', text: 'Run' };
    const made = await ask(create, { input: { ...input, tagIds: ['a'.repeat(24)] } });
    expect(made.body.data.createPost.post.tags).toEqual([
      { name: 'old', color: '#C9822B', colorName: 'orange', isLocked: false },
    ]);
  } finally {
    await modern.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a database that refuses a move answers so, and nothing is changed', async () => {
  const post = await ground.made();
  const answer = await whileWritesFail(ground.modern, ['update', 'posts'], () => ground.move(post.id, 'top'));
  expect(answer).toEqual({ __typename: 'VoidMutationError', message: 'An unexpected error occurred' });
  expect(await ground.post(post.id)).toEqual(post);
});
