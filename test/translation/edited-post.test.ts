import {
  editedPostOf,
  inputOfAsset,
  wordsOfPicture,
} from '../../src/domain/translation/edits/edited-post.ts';
import type { PostToEdit, WholeAsset } from '../../src/upstream/posts/post-to-edit.ts';
import { postWith } from './posts.ts';

/** A post of the new API as an edit sends it again, field by field. */

type Metadata = PostToEdit['metadata'];

const told = (metadata: Metadata, changes: Partial<PostToEdit> = {}): PostToEdit => ({
  ...postWith(),
  shareMode: 'addToQueue',
  channel: { isQueuePaused: false },
  assets: [],
  metadata,
  ...changes,
});

test.each([null, undefined])('a post without fields of its service (%s) has none to send', (metadata) => {
  expect(editedPostOf(told(metadata))).toStrictEqual({
    service: 'twitter',
    text: 'Three steps',
    hasOwnTime: false,
    type: undefined,
    link: undefined,
    assets: [],
    kept: {},
    thread: [],
    mentions: [],
  });
});

test.each([
  ['scheduled', true, true],
  ['scheduled', false, false],
  ['scheduled', undefined, false],
  ['sent', true, false],
])('a %s post, chosen time: %s, has a time of its own: %s', (status, isCustomScheduled, hasOwnTime) => {
  const changes = { status, ...(isCustomScheduled !== undefined && { isCustomScheduled }) };
  expect(editedPostOf(told(null, changes)).hasOwnTime).toBe(hasOwnTime);
});

const URL_OF_LINK = 'https://a.example/b';

test.each<[NonNullable<Metadata>['linkAttachment'], object | undefined]>([
  [
    { url: URL_OF_LINK, title: 'T', text: 'D', thumbnail: 'https://a.example/t.png' },
    { url: URL_OF_LINK, title: 'T', description: 'D', thumbnail: { url: 'https://a.example/t.png' } },
  ],
  [{ url: URL_OF_LINK, title: null, text: '', thumbnail: '' }, { url: URL_OF_LINK }],
  [{ url: '', title: 'T' }, undefined],
  [null, undefined],
])('the link %j is sent as %j', (linkAttachment, link) => {
  expect(editedPostOf(told({ linkAttachment })).link).toStrictEqual(link);
});

test.each([
  ['facebook', 'post', true],
  ['facebook', 'reel', true],
  ['facebook', 'story', true],
  ['facebook', 'another', false],
  ['facebook', null, false],
  ['threads', 'ghost_post', true],
  ['threads', 'post', false],
  ['instagram', 'post', false],
])('an edit for %s names the kind %s: %s', (channelService, type, isNamed) => {
  const post = editedPostOf(told({ type }, { channelService }));
  expect(post.type).toBe(type ?? undefined);
  expect(post.kept).toStrictEqual(isNamed ? { type } : {});
});

const OF_SERVICE = {
  title: 'T',
  url: 'https://a.example/pin',
  firstComment: 'First!',
  topic: 'Bread',
  locationId: 'l1',
  locationName: 'Oven',
  spoilerText: 'Crumbs',
  isAiGenerated: true,
  retweet: { id: '7' },
};

test('the other fields of the service are kept, where they say something', () => {
  expect(editedPostOf(told(OF_SERVICE)).kept).toStrictEqual(OF_SERVICE);
  const unsaid = Object.fromEntries(Object.keys(OF_SERVICE).map((name) => [name, null]));
  expect(editedPostOf(told(unsaid)).kept).toStrictEqual({});
  expect(editedPostOf(told({ firstComment: '', isAiGenerated: false })).kept).toStrictEqual({});
});

test('mentions are where an input could name them, not hashtags', () => {
  const annotations = [
    { type: 'mention', indices: [1, 3] },
    { type: 'annotation', indices: [4, 6] },
    { type: 'hashtag', indices: [7, 9] },
    { type: 'mention', indices: [5] },
    { type: 'mention', indices: [] },
  ];
  expect(editedPostOf(told({ annotations })).mentions).toEqual([
    [1, 3],
    [4, 6],
    [5, 5],
    [0, 0],
  ]);
  expect(editedPostOf(told({ annotations: null })).mentions).toEqual([]);
});

test('the parts of a thread and the media are as the new API tells them', () => {
  const thread = [{ text: 'One', assets: [{ type: 'image', source: 'https://a.example/a.png' }] }];
  const assets = [{ type: 'video', source: 'https://a.example/v.mp4' }];
  expect(editedPostOf(told({ thread }, { assets }))).toMatchObject({ thread, assets });
  expect(editedPostOf(told({ thread: null })).thread).toEqual([]);
});

const SOURCE = 'https://a.example/a.png';

const pictureOf = (image: WholeAsset['image']): WholeAsset => ({ type: 'image', source: SOURCE, image });

const TAGS = [{ handle: 'baker', x: 0.5, y: 0.5 }];

test.each<[WholeAsset['image'], object | undefined]>([
  [undefined, undefined],
  [{}, undefined],
  [{ altText: '', userTags: [], animatedThumbnail: null }, undefined],
  [{ altText: 'A loaf' }, { altText: 'A loaf' }],
  [
    { altText: null, userTags: TAGS },
    { altText: '', userTags: TAGS },
  ],
  [
    { animatedThumbnail: 'https://a.example/s.gif' },
    { altText: '', animatedThumbnail: 'https://a.example/s.gif' },
  ],
])('what is said of the picture %j is %j', (image, words) => {
  expect(wordsOfPicture(pictureOf(image))).toStrictEqual(words);
});

test.each<[WholeAsset, object[]]>([
  [pictureOf(null), [{ image: { url: SOURCE } }]],
  [{ ...pictureOf(null), thumbnail: SOURCE }, [{ image: { url: SOURCE } }]],
  [{ ...pictureOf(null), thumbnail: 't' }, [{ image: { url: SOURCE, thumbnailUrl: 't' } }]],
  [pictureOf({ altText: 'A' }), [{ image: { url: SOURCE, metadata: { altText: 'A' } } }]],
  [{ type: 'video', source: 'v' }, [{ video: { url: 'v' } }]],
  [
    { type: 'video', source: 'v', video: { title: 'Clip', thumbnailOffset: 0 } },
    [{ video: { url: 'v', metadata: { title: 'Clip', thumbnailOffset: 0 } } }],
  ],
  [
    { type: 'document', source: 'd', thumbnail: 't', document: { title: 'Recipe' } },
    [{ document: { url: 'd', title: 'Recipe', thumbnailUrl: 't' } }],
  ],
  [{ type: 'document', source: 'd' }, [{ document: { url: 'd', title: '', thumbnailUrl: 'd' } }]],
  [{ type: 'another', source: 'x' }, []],
])('the media %j are sent as %j', (asset, sent) => {
  expect(inputOfAsset(asset)).toStrictEqual(sent);
});
