import { FieldRefused, type FieldPairs } from '../../src/domain/translation/call-fields.ts';
import { changedUpdate, newUpdate } from '../../src/domain/translation/new-update.ts';
import { editInput } from '../../src/domain/translation/edits/edit-input.ts';
import { createInput } from '../../src/domain/translation/post-input.ts';

/** An old update as the input of the new API, service by service. */

const NOW = Date.UTC(2026, 10, 1, 12);

const pairsOf = (text: string): FieldPairs => [...new URLSearchParams(text)];

function inputFor(service: string, text: string) {
  return createInput(newUpdate(pairsOf(`profile_ids[]=a&${text}`), NOW), { id: 'c1', service });
}

const BASE = { channelId: 'c1', schedulingType: 'automatic', mode: 'addToQueue', text: 'x' };
const LINK =
  'media[link]=https://a.example/b&media[title]=T&media[description]=D&media[picture]=https://a.example/p.png';
const ATTACHMENT = {
  url: 'https://a.example/b',
  title: 'T',
  description: 'D',
  thumbnail: { url: 'https://a.example/p.png' },
};
const PHOTO = 'media[photo]=https://a.example/f.png&media[thumbnail]=https://a.example/t.png';
const IMAGE = { image: { url: 'https://a.example/f.png', thumbnailUrl: 'https://a.example/t.png' } };
const PREVIEW = { image: { url: 'https://a.example/p.png' } };

test.each([
  ['twitter', 'text=x', { assets: [] }],
  ['linkedin', 'text=x', { assets: [] }],
  ['facebook', 'text=x', { assets: [], metadata: { facebook: { type: 'post' } } }],
  [
    'instagram',
    `text=x&${PHOTO}`,
    { assets: [IMAGE], metadata: { instagram: { type: 'post', shouldShareToFeed: true } } },
  ],
  ['googlebusiness', 'text=x', { assets: [], metadata: { google: { type: 'whats_new' } } }],
  [
    'pinterest',
    `text=x&${PHOTO}&subprofile_ids[]=b1`,
    { assets: [IMAGE], metadata: { pinterest: { boardServiceId: 'b1' } } },
  ],
  [
    'pinterest',
    `text=x&${PHOTO}&media[title]=T&subprofile_ids[]=b1`,
    { assets: [IMAGE], metadata: { pinterest: { boardServiceId: 'b1', title: 'T' } } },
  ],
  [
    'facebook',
    `text=x&${LINK}`,
    { assets: [], metadata: { facebook: { type: 'post', linkAttachment: ATTACHMENT } } },
  ],
  ['linkedin', `text=x&${LINK}`, { assets: [], metadata: { linkedin: { linkAttachment: ATTACHMENT } } }],
  ['bluesky', `text=x&${LINK}`, { assets: [], metadata: { bluesky: { linkAttachment: ATTACHMENT } } }],
  ['facebook', `text=x&${LINK}&${PHOTO}`, { assets: [IMAGE], metadata: { facebook: { type: 'post' } } }],
  ['twitter', `text=x&${LINK}`, { assets: [] }],
  ['twitter', `text=x&${LINK}&${PHOTO}`, { assets: [IMAGE] }],
  ['mastodon', `text=x&${LINK}`, { assets: [PREVIEW] }],
  ['twitter', 'text=x&media[picture]=https://a.example/p.png', { assets: [PREVIEW] }],
  [
    'facebook',
    'text=x&media[picture]=https://a.example/p.png',
    { assets: [PREVIEW], metadata: { facebook: { type: 'post' } } },
  ],
  [
    'pinterest',
    `text=x&${LINK}&subprofile_ids[]=b1`,
    {
      assets: [PREVIEW],
      metadata: { pinterest: { boardServiceId: 'b1', url: 'https://a.example/b', title: 'T' } },
    },
  ],
  [
    'googlebusiness',
    'text=x&media[link]=https://a.example/b',
    {
      assets: [],
      metadata: {
        google: { type: 'whats_new', detailsWhatsNew: { button: 'learn_more', link: 'https://a.example/b' } },
      },
    },
  ],
  [
    'twitter',
    'text=x&media[video]=https://a.example/v.mp4',
    { assets: [{ video: { url: 'https://a.example/v.mp4' } }] },
  ],
  [
    'twitter',
    'text=x&retweet[tweet_id]=7&retweet[comment]=C',
    { assets: [], metadata: { twitter: { retweet: { id: '7', comment: 'C' } } } },
  ],
  ['twitter', 'text=x&now=true', { assets: [], mode: 'shareNow' }],
  ['twitter', 'text=x&top=true', { assets: [], mode: 'shareNext' }],
  [
    'twitter',
    'text=x&scheduled_at=2026-11-02',
    { assets: [], mode: 'customScheduled', dueAt: '2026-11-02T00:00:00.000Z' },
  ],
  ['pinterest', 'text=x&is_draft=true', { assets: [], saveToDraft: true }],
  ['youtube', 'text=x&is_draft=true', { assets: [], saveToDraft: true }],
])('%s of %s', (service, text, expected) => {
  expect(inputFor(service, text).input).toEqual({ ...BASE, ...expected });
});

test.each([
  ['pinterest', `text=x&${PHOTO}`, 'subprofile_ids', 1004],
  ['pinterest', `text=x&${PHOTO}&subprofile_ids[]=b1&subprofile_ids[]=b2`, 'subprofile_ids', 1022],
  ['youtube', 'text=x&media[video]=https://a.example/v.mp4', 'profile_ids', 1022],
])('%s refuses %s', (service, text, field, code) => {
  expect(() => inputFor(service, text)).toThrow(expect.objectContaining({ field, code }));
  expect(() => inputFor(service, text)).toThrow(FieldRefused);
});

test('a retweet is for Twitter alone, and is told elsewhere', () => {
  const retweet = 'text=x&retweet[tweet_id]=7';
  expect(inputFor('twitter', retweet).leftOut).toEqual([]);
  expect(inputFor('linkedin', retweet)).toEqual({
    input: { ...BASE, assets: [] },
    leftOut: ['retweet, which is for Twitter profiles alone'],
  });
});

test.each([
  ['twitter', 'text=x&media[link]=https://a.example/b', 1],
  ['twitter', 'text=see+https://a.example/b&media[link]=https://a.example/b', 0],
  ['facebook', `text=x&${LINK}`, 0],
  ['facebook', `text=x&media[link]=https://a.example/b&${PHOTO}`, 1],
])('a link that %s has no place for is told: %s', (service, text, count) => {
  expect(inputFor(service, text).leftOut).toHaveLength(count);
});

const TITLED = 'media[title]=A+title&media[description]=What+it+is';
const PICTURE = 'media[picture]=https://a.example/p.png';
const VIDEO = 'media[video]=https://a.example/v.mp4';

test.each([
  ['twitter', `text=x&media[photo]=https://a.example/f.png&${PICTURE}`, ['media[picture]']],
  ['twitter', `text=x&media[photo]=https://a.example/f.png&${VIDEO}`, ['media[photo]']],
  ['twitter', `text=x&${LINK}`, ['the link', 'media[picture]', 'media[title]', 'media[description]']],
  ['facebook', `text=x&${PICTURE}&${VIDEO}`, ['media[picture]']],
  ['facebook', 'text=x&media[thumbnail]=https://a.example/t.png', ['media[thumbnail]']],
  ['facebook', 'text=x&media[link]=https://a.example/b&media[thumbnail]=https://a.example/t.png', []],
  [
    'facebook',
    `text=x&${LINK}&media[photo]=https://a.example/f.png`,
    ['the link', 'media[picture]', 'media[title]', 'media[description]'],
  ],
  ['facebook', `text=x&${PHOTO}&media[image]=a&media[image]=b&media[]=c`, ['media[image]', 'media[]']],
  ['facebook', `text=x&${PHOTO}&media[image]=`, []],
  ['twitter', `text=x&${PHOTO}`, []],
  ['twitter', `text=x&${VIDEO}`, []],
  ['linkedin', `text=x&${LINK}`, []],
  ['twitter', `text=x&${TITLED}`, ['media[title]', 'media[description]']],
  [
    'twitter',
    `text=https://a.example/b&media[link]=https://a.example/b&${TITLED}`,
    ['media[title]', 'media[description]'],
  ],
  ['pinterest', `text=x&${PHOTO}&${TITLED}&subprofile_ids[]=b1`, ['media[description]']],
  ['twitter', `text=x&${PHOTO}&${TITLED}`, ['media[title]', 'media[description]']],
  ['facebook', `text=x&${TITLED}`, ['media[title]', 'media[description]']],
  [
    'pinterest',
    `text=x&media[photo]=https://a.example/f.png&${LINK}&subprofile_ids[]=b1`,
    ['media[picture]', 'media[description]'],
  ],
])('media that a post of %s has no place for are told: %s', (service, text, names) => {
  const told = [
    inputFor(service, text).leftOut,
    editInput('p1', changed(text), { ...PLAIN, service }).leftOut,
  ];
  const starts = told.map((each) => each.map((what) => /^(?:media\[\w*\]|the link)/.exec(what)?.[0]));
  expect(starts).toEqual([names, names]);
});

const PLAIN = {
  text: 'x',
  hasOwnTime: false,
  type: undefined,
  link: undefined,
  assets: [],
  kept: {},
  thread: [],
  mentions: [],
};
const PREVIEWED = { link: { url: 'https://a.example/old' } };
const changed = (text: string) => changedUpdate(pairsOf(text), NOW);

test('an edit changes the text alone, or text, time and media', () => {
  expect(editInput('p1', changed('text=x'), undefined).input).toEqual({ id: 'p1', text: 'x' });
  const whole = changed(`text=x&now=1&${LINK}`);
  expect(editInput('p1', whole, { ...PLAIN, service: 'facebook' }).input).toEqual({
    id: 'p1',
    text: 'x',
    mode: 'shareNow',
    assets: [],
    metadata: { facebook: { type: 'post', linkAttachment: ATTACHMENT } },
  });
});

const SHOWN = 'media[photo]=https://a.example/f.png';
const SHOWN_ASSETS = [{ image: { url: 'https://a.example/f.png' } }];

test.each([
  ['twitter', {}, 'media[link]=https://a.example/b', {}],
  [
    'pinterest',
    {},
    'media[link]=https://a.example/b',
    { metadata: { pinterest: { url: 'https://a.example/b' } } },
  ],
  [
    'pinterest',
    { kept: { title: 'Kept' } },
    'media[link]=https://a.example/b',
    { metadata: { pinterest: { title: 'Kept', url: 'https://a.example/b' } } },
  ],
  [
    'pinterest',
    { kept: { title: 'Old', url: 'https://a.example/kept' } },
    `${SHOWN}&media[title]=New`,
    { assets: SHOWN_ASSETS, metadata: { pinterest: { title: 'New', url: 'https://a.example/kept' } } },
  ],
  ['pinterest', { kept: { title: 'Kept', url: 'https://a.example/kept' } }, SHOWN, { assets: SHOWN_ASSETS }],
  [
    'pinterest',
    { kept: { title: 'Old', url: 'https://a.example/kept' } },
    'media[title]=New',
    { metadata: { pinterest: { title: 'New', url: 'https://a.example/kept' } } },
  ],
  ['facebook', { type: 'story' }, 'media[link]=https://a.example/b', {}],
  ['instagram', { type: 'story' }, SHOWN, { assets: SHOWN_ASSETS }],
  ['facebook', { type: 'reel' }, SHOWN, { assets: SHOWN_ASSETS }],
  ['googlebusiness', { type: 'offer' }, SHOWN, { assets: SHOWN_ASSETS }],
  ['googlebusiness', { type: 'offer' }, 'media[link]=https://a.example/b', {}],
  ['linkedin', PREVIEWED, SHOWN, { assets: SHOWN_ASSETS, metadata: { linkedin: { linkAttachment: null } } }],
  [
    'facebook',
    { type: 'reel', kept: { type: 'reel' }, ...PREVIEWED },
    SHOWN,
    { assets: SHOWN_ASSETS, metadata: { facebook: { type: 'reel', linkAttachment: null } } },
  ],
  ['facebook', PREVIEWED, 'media[title]=Another', {}],
])('an edit of a %s post, %j, with %s keeps what the call does not name', (service, has, media, sent) => {
  const post = { ...PLAIN, ...has, service };
  expect(editInput('p1', changed(`text=x&${media}`), post).input).toEqual({ id: 'p1', text: 'x', ...sent });
});

test.each([
  ['Hi Crumb', undefined],
  ['Hi Crumb and all', undefined],
  ['Hi', { facebook: { type: 'reel', firstComment: 'First!', annotations: [] } }],
  ['Oh Bread', { facebook: { type: 'reel', firstComment: 'First!', annotations: [] } }],
])('the text %j of a post with a mention names the fields of the service: %j', (text, metadata) => {
  const kept = { type: 'reel', firstComment: 'First!' };
  const post = { ...PLAIN, service: 'facebook', text: 'Hi Crumb', mentions: [[3, 8]] as const, kept };
  expect(editInput('p1', changed(`text=${text}`), post).input['metadata']).toEqual(metadata);
});

test('a link that an offer has no place for is told', () => {
  const post = { ...PLAIN, service: 'googlebusiness', type: 'offer' };
  const { leftOut } = editInput('p1', changed('text=x&media[link]=https://a.example/b'), post);
  expect(leftOut).toEqual([expect.stringContaining('the link https://a.example/b')]);
});

const image = (name: string) => ({ type: 'image', source: `https://a.example/${name}.png` });
const photo = (name: string) => `media[photo]=https://a.example/${name}.png`;
const extra = (at: number, name: string) => `extra_media[${at}][photo]=https://a.example/${name}.png`;
const FOUR = [image('a'), image('b'), image('c'), image('d')];
const CLIP = { type: 'video', source: 'https://a.example/v.mp4' };

test.each([
  ['the first of four pictures', FOUR, photo('a')],
  ['some of them', FOUR, `${photo('a')}&${extra(0, 'b')}`],
  ['the further ones alone', FOUR, `${extra(0, 'b')}&${extra(1, 'c')}`],
  [
    'the picture behind a video',
    [CLIP, image('b')],
    `media[thumbnail]=https://a.example/t.png&${extra(0, 'b')}`,
  ],
])('an edit that names %s of the post where it stands changes no media', (_what, assets, media) => {
  const post = { ...PLAIN, service: 'twitter', assets };
  expect(editInput('p1', changed(`text=x&${media}`), post)).toMatchObject({ input: { id: 'p1', text: 'x' } });
  expect(editInput('p1', changed(`text=x&${media}`), post).input).not.toHaveProperty('assets');
});

test.each([
  ['another picture', photo('z'), ['z']],
  ['the second picture first', photo('b'), ['b']],
  ['another order', `${photo('a')}&${extra(0, 'c')}&${extra(1, 'b')}`, ['a', 'c', 'b']],
])('an edit that brings %s replaces the media, and tells what went', (_what, media, names) => {
  const post = { ...PLAIN, service: 'twitter', assets: FOUR };
  const { input, leftOut } = editInput('p1', changed(`text=x&${media}`), post);
  expect(input['assets']).toEqual(names.map((name) => ({ image: { url: `https://a.example/${name}.png` } })));
  expect(leftOut).toEqual(['the further media that the update had and the call does not name']);
});
