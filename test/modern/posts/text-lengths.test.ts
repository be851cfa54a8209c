import { channel, image, video } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

withPosts();
beforeAll(() => {
  ground.changeChannel(channel('3d02'), { isDisconnected: false });
  ground.changeChannel(channel('3d04'), { isLocked: false });
});

/** What a post of the service must have beside its text. */
const needs: Record<string, object> = {
  facebook: { metadata: { facebook: { type: 'post' } } },
  googlebusiness: { metadata: { google: { type: 'whats_new' } } },
  instagram: { assets: [image], metadata: { instagram: { type: 'post', shouldShareToFeed: true } } },
  pinterest: { assets: [image], metadata: { pinterest: { boardServiceId: 'cakes' } } },
  tiktok: { assets: [image] },
  youtube: { assets: [video], metadata: { youtube: { title: 'Rolls', categoryId: '26' } } },
};

const limits: Array<[service: string, end: string, limit: number]> = [
  ['bluesky', '3d07', 300],
  ['facebook', '3d02', 5000],
  ['googlebusiness', '3d04', 1500],
  ['instagram', '3d03', 2200],
  ['linkedin', '3d05', 3000],
  ['mastodon', '3d06', 500],
  ['pinterest', '3d09', 500],
  ['startPage', '3d0d', 5000],
  ['threads', '3d0c', 500],
  ['tiktok', '3d0a', 2200],
  ['twitter', '3d01', 280],
  ['youtube', '3d0b', 5000],
];

const tooLong = (service: string, limit: number) => [
  'InvalidInputError',
  `Invalid post: Text on ${service} has at most ${limit} characters.`,
];

test.each(limits)('a text on %s ends where the network ends it', async (service, end, limit) => {
  const input = { channelId: channel(end), ...needs[service] };
  // The bread is one character to people and two to the language.
  const text = `\u{1F35E}${'a'.repeat(limit - 1)}`;
  await ground.made({ ...input, text });
  expect(await ground.refusal({ ...input, text: `${text}a` })).toEqual(tooLong(service, limit));
  await ground.made({ ...input, text: `${text}a`, saveToDraft: true });
});

test('on X an address counts 23 characters, and who pays may write more', async () => {
  const address = `https://bakery.example/${'a'.repeat(500)}`;
  await ground.made({ text: `${'a'.repeat(256)} ${address}` });
  expect(await ground.refusal({ text: `${'a'.repeat(257)} ${address}` })).toEqual(tooLong('twitter', 280));
  const metadata = { __typename: 'TwitterMetadata', subscriptionType: 'premium' };
  await ground.made({ channelId: ground.addChannel({ metadata }), text: 'a'.repeat(9000) });
});

test('the server of a channel on Mastodon says how much it takes', async () => {
  const metadata = { __typename: 'MastodonMetadata', serverUrl: 'https://wide.example', maxCharacters: 700 };
  const channelId = ground.addChannel({ service: 'mastodon', metadata });
  await ground.made({ channelId, text: 'a'.repeat(700) });
  expect(await ground.refusal({ channelId, text: 'a'.repeat(701) })).toEqual(tooLong('mastodon', 700));
});

const thread = (length: number) => [{ text: 'Hello' }, { text: 'a'.repeat(length) }];

test('each part of a thread counts by itself, and an edit is held to it too', async () => {
  const post = await ground.made({ metadata: { twitter: { thread: thread(280) } } });
  const metadata = { twitter: { thread: thread(281) } };
  expect(await ground.refusal({ metadata })).toEqual(tooLong('twitter', 280));
  const { __typename, message } = await ground.edit({ id: post.id, metadata });
  expect([__typename, message]).toEqual(tooLong('twitter', 280));
  expect(await ground.post(post.id)).toEqual(post);
});
