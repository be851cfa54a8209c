import { leastTime } from '../support/least-time.ts';
import { oldUpdate } from '../../src/domain/translation/old-update.ts';
import { POST_ID, postWith, viewWith } from './posts.ts';

/** What an app reads, after the JSON of the answer. */
const wire = (...[post, view]: [Parameters<typeof postWith>[0], Parameters<typeof viewWith>[0]?]) =>
  JSON.parse(JSON.stringify(oldUpdate(postWith(post), viewWith(view))));

test('a scheduled post is the whole update object, with ids as text and times in whole seconds', () => {
  expect(wire({})).toEqual({
    _id: POST_ID,
    id: POST_ID,
    created_at: 1_456_835_393,
    updated_at: 1_456_854_149,
    day: 'Today',
    due_at: 1_456_884_480,
    due_time: '11:08 pm',
    profile_id: '4f4e7605512f7e803300000f',
    profile_service: 'twitter',
    shared_now: false,
    status: 'buffer',
    text: 'Three steps',
    text_formatted: 'Three steps',
    type: 'text',
    user_id: '5160746d54f04a5e3a00000d',
    via: 'api',
  });
});

test('a sent post has the time of sending and statistics without numbers', () => {
  const update = wire({ status: 'sent', sentAt: '2016-03-02T02:08:03.500Z', sharedNow: true });
  expect(update).toMatchObject({ status: 'sent', sent_at: 1_456_884_483, statistics: {}, shared_now: true });
  for (const absent of ['service_link', 'service_update_id', 'client_id'])
    expect(update).not.toHaveProperty(absent);
});

// In the recorded answers the id of a sent tweet is the end of its address.
test.each([
  ['a tweet', 'twitter', 'https://twitter.com/USCTrials/status/644520020861681664', '644520020861681664'],
  ['a tweet with a query', 'twitter', 'https://x.com/i/status/644520020861681664?s=20', '644520020861681664'],
  ['a tweet at another address', 'twitter', 'https://twitter.example/danasbakery/posts/1', undefined],
  ['a post elsewhere', 'mastodon', 'https://running.example/@riverside/status/12', undefined],
])(
  '%s that was sent has its address, and its id where the address has it',
  (_what, channelService, externalLink, id) => {
    const update = wire({ status: 'sent', channelService, externalLink });
    expect(update.service_link).toBe(externalLink);
    expect(update.service_update_id).toBe(id);
  },
);

test.each([
  ['scheduled', 'buffer'],
  ['sending', 'buffer'],
  ['sent', 'sent'],
  ['error', 'error'],
  ['draft', 'draft'],
  ['needs_approval', 'draft'],
  ['a status of later', 'a status of later'],
])('the status %s is called %s', (status, word) => {
  const update = wire({ status });
  expect(update.status).toBe(word);
  expect(update.needs_approval).toBe(status === 'needs_approval' ? true : undefined);
});

test('a post without a time has neither a time nor words for one', () => {
  const update = wire({ status: 'draft', dueAt: null });
  for (const absent of ['due_at', 'day', 'due_time', 'sent_at']) expect(update).not.toHaveProperty(absent);
});

test.each([
  ['a time of its own', { isCustomScheduled: true }, 1_456_884_480],
  ['a time of the queue', { isCustomScheduled: false }, undefined],
  ['no time, as a draft', { isCustomScheduled: true, dueAt: null }, undefined],
])('a post with %s', (_which, changes, scheduledAt) => {
  expect(wire(changes).scheduled_at).toBe(scheduledAt);
});

test('in a zone that nobody knows there are no words for a time', () => {
  const update = wire({}, { zone: 'Mars/Olympus' });
  expect(update.due_at).toBe(1_456_884_480);
  expect(update).not.toHaveProperty('day');
  expect(update).not.toHaveProperty('due_time');
});

test.each([
  ['another author', { author: { id: '5e1f0c9a7b3d4e2f8a6c1d02' } }],
  ['an author who is gone', { author: null }],
])('%s has no user id', (_who, changes) => {
  expect(wire(changes)).not.toHaveProperty('user_id');
});

describe('media', () => {
  const picture = {
    type: 'image',
    source: 'https://x.example/a.png',
    thumbnail: 'https://x.example/a-100.png',
  };
  const second = { ...picture, source: 'https://x.example/b.png' };
  const page = { url: 'https://x.example/', title: 'A page', text: 'About it', thumbnail: null };

  test.each([
    ['no media', {}, undefined, undefined, 'text'],
    [
      'a picture',
      { assets: [picture] },
      { picture: picture.source, thumbnail: picture.thumbnail },
      undefined,
      'picture',
    ],
    [
      'two pictures',
      { assets: [picture, second] },
      { picture: picture.source, thumbnail: picture.thumbnail },
      [{ photo: second.source }],
      'picture',
    ],
    [
      'a video',
      {
        assets: [{ type: 'video', source: 'https://x.example/a.mp4', thumbnail: 'https://x.example/v.png' }],
      },
      { thumbnail: 'https://x.example/v.png' },
      undefined,
      'video',
    ],
    [
      'a document',
      {
        assets: [
          { type: 'document', source: 'https://x.example/a.pdf', thumbnail: 'https://x.example/d.png' },
        ],
      },
      { thumbnail: 'https://x.example/d.png' },
      undefined,
      'text',
    ],
    [
      'a video and two pictures',
      { assets: [{ type: 'video', source: 'https://x.example/a.mp4', thumbnail: null }, picture, second] },
      {},
      [{ photo: picture.source }, { photo: second.source }],
      'video',
    ],
    [
      'a picture and a video',
      { assets: [picture, { type: 'video', source: 'https://x.example/a.mp4', thumbnail: null }] },
      { picture: picture.source, thumbnail: picture.thumbnail },
      undefined,
      'video',
    ],
    [
      'a linked page without words',
      { metadata: { linkAttachment: { ...page, title: '', text: '' } } },
      { link: page.url },
      undefined,
      'link',
    ],
    [
      'a linked page',
      { metadata: { linkAttachment: page } },
      { link: page.url, title: page.title, description: page.text },
      undefined,
      'link',
    ],
    [
      'a pin',
      { assets: [picture], metadata: { url: page.url, title: page.title } },
      { link: page.url, title: page.title, picture: picture.source, thumbnail: picture.thumbnail },
      undefined,
      'picture',
    ],
    [
      'a Google post with a link and a picture',
      { assets: [picture], metadata: { details: { link: page.url } } },
      { link: page.url, picture: picture.source, thumbnail: picture.thumbnail },
      undefined,
      'picture',
    ],
    [
      'a Google post with a link alone',
      { metadata: { details: { link: page.url } } },
      { link: page.url },
      undefined,
      'link',
    ],
    ['a Google post without a link', { metadata: { details: { link: null } } }, undefined, undefined, 'text'],
    ['metadata of a service without links', { metadata: null }, undefined, undefined, 'text'],
    ['a text with an address', { text: 'Read http://a.example/b' }, undefined, undefined, 'link'],
    [
      'a text with another scheme',
      { text: 'ftp://a.example/b, https:// and //a' },
      undefined,
      undefined,
      'text',
    ],
    [
      'an address beside a picture',
      { text: 'http://a.example', assets: [picture] },
      { picture: picture.source, thumbnail: picture.thumbnail },
      undefined,
      'picture',
    ],
  ])('%s', (_what, changes, media, extra, type) => {
    const update = wire(changes);
    expect([update.media, update.extra_media, update.type]).toEqual([media, extra, type]);
  });
});

const link = (address: string) =>
  `<a class="url" href="${address}" rel="external nofollow" target="_blank">${address}</a>`;

const tag = (word: string, search = word) =>
  `<a href="https://twitter.com/#!/search?q=%23${search}" title="#${word}" class="hashtag" rel="external nofollow" target="_blank">#${word}</a>`;
const name = (account: string) =>
  `@<a class="username" href="https://twitter.com/${account}" rel="external nofollow" target="_blank">${account}</a>`;

describe('the formatted text', () => {
  test.each([
    ['a text', 'a – b · c', 'a – b · c'],
    ['an address', 'See http://bit.ly/15OS4ap', `See ${link('http://bit.ly/15OS4ap')}`],
    [
      'an address at the end of a sentence',
      'See (https://a.example/b).',
      `See (${link('https://a.example/b')}).`,
    ],
    [
      'two addresses',
      'http://a.example http://b.example!',
      `${link('http://a.example')} ${link('http://b.example')}!`,
    ],
    ['characters of HTML', '<b>"1 & 2"</b>', '&lt;b&gt;&quot;1 &amp; 2&quot;&lt;/b&gt;'],
    ['an apostrophe, as recorded', "We're looking", 'We&#039;re looking'],
    ['an address with a query', 'https://a.example/?a=1&b=2', link('https://a.example/?a=1&amp;b=2')],
    [
      'an address that would leave its place',
      'https://a.example/"><b>',
      `${link('https://a.example/')}&quot;&gt;&lt;b&gt;`,
    ],
    ['another scheme', 'javascript:alert(1)', 'javascript:alert(1)'],
  ])('%s', (_what, text, html) => {
    expect(wire({ text }).text_formatted).toBe(html);
  });

  test.each([
    ['hashtags', '#Swift, (#iosdev)', `${tag('Swift')}, (${tag('iosdev')})`],
    ['a hashtag in other letters', '#köln2026', tag('köln2026', 'k%C3%B6ln2026')],
    ['a name behind an address', 'http://a.example/b @ay8s', `${link('http://a.example/b')} ${name('ay8s')}`],
    ['a name at the end of a sentence', 'By @ay8s.', `By ${name('ay8s')}.`],
    ['a hashtag as part of an address', 'http://a.example/#b', link('http://a.example/#b')],
    [
      'what looks alike',
      'C# #1 a#b ## # &#x41; me@a.example @ @@a',
      'C# #1 a#b ## # &amp;#x41; me@a.example @ @@a',
    ],
    ['a name that is too long', '@abcdefghijklmnop', '@abcdefghijklmnop'],
    ['HTML beside them', '#a"><b>@c</b>', `${tag('a')}&quot;&gt;&lt;b&gt;${name('c')}&lt;/b&gt;`],
  ])('on Twitter: %s', (_what, text, html) => {
    expect(wire({ text }).text_formatted).toBe(html);
  });

  test('elsewhere hashtags and names are text', () => {
    expect(wire({ text: '#a @b', channelService: 'facebook' }).text_formatted).toBe('#a @b');
  });

  test.each(['#', '#1', '@', '@a', '#_'])('a text of many “%s” is read in no time', (unit) => {
    const plain = leastTime(() => wire({ text: 'a'.repeat(100_000) }));
    for (const text of [unit.repeat(50_000), `#${'1'.repeat(100_000)}`])
      expect(leastTime(() => wire({ text }))).toBeLessThan(20 * plain + 300);
  });

  test('ten thousand dots behind an address are one step each', () => {
    const text = `http://a.example/${'.'.repeat(10_000)}x`;
    expect(wire({ text }).text_formatted).toBe(link(text));
  });
});
