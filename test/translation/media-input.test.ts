import { bringsFirst, firstPicture } from '../../src/domain/translation/media-input.ts';
import { newUpdate, type UpdateMedia } from '../../src/domain/translation/new-update.ts';
import { createInput, type PostInput } from '../../src/domain/translation/post-input.ts';

/** The pictures, the video and the link of an update at a service, and whole sentences about what has no place there. */

const NOW = Date.UTC(2026, 10, 1, 12);

const read = (text: string) => newUpdate([...new URLSearchParams(`profile_ids[]=a&text=x&${text}`)], NOW);

const inputFor = (service: string, text: string): PostInput => createInput(read(text), { id: 'c1', service });

const assetsFor = (service: string, text: string) => inputFor(service, text).input['assets'];

const lostFor = (service: string, text: string) => inputFor(service, text).leftOut;

const address = (name: string) => `https://a.example/${name}.png`;

const PHOTO = `media[photo]=${address('f')}`;
const PICTURE = `media[picture]=${address('p')}`;
const THUMBNAIL = `media[thumbnail]=${address('t')}`;
const LINK = 'media[link]=https://a.example/b';
const VIDEO = 'media[video]=https://a.example/v.mp4';
const FURTHER = `extra_media[0][photo]=${address('e')}`;

const further = (count: number) =>
  Array.from({ length: count }, (_, at) => `extra_media[${at}][photo]=${address(`-${at}-`)}`).join('&');

describe('the assets', () => {
  test('are the pictures in their order, each with its thumbnail and its alternative text', () => {
    const first = `${PHOTO}&${THUMBNAIL}&media[alt_text]=A+loaf`;
    const second = `${FURTHER}&extra_media[0][thumbnail]=${address('s')}&extra_media[0][alt_text]=A+roll`;
    const third = `extra_media[1][picture]=${address('g')}`;
    expect(inputFor('twitter', `${first}&${second}&${third}`)).toStrictEqual({
      input: expect.objectContaining({
        assets: [
          { image: { url: address('f'), thumbnailUrl: address('t'), metadata: { altText: 'A loaf' } } },
          { image: { url: address('e'), thumbnailUrl: address('s'), metadata: { altText: 'A roll' } } },
          { image: { url: address('g') } },
        ],
      }),
      leftOut: [],
    });
    expect(assetsFor('twitter', PHOTO)).toStrictEqual([{ image: { url: address('f') } }]);
  });

  test('are twenty pictures at most', () => {
    expect(lostFor('twitter', `${PHOTO}&${further(19)}`)).toEqual([]);
    expect(assetsFor('twitter', `${PHOTO}&${further(20)}`)).toHaveLength(20);
  });

  test('are no pictures beside a video or a link preview', () => {
    expect(assetsFor('twitter', `${PHOTO}&${FURTHER}&${VIDEO}`)).toStrictEqual([
      { video: { url: 'https://a.example/v.mp4' } },
    ]);
    expect(assetsFor('facebook', `${LINK}&${FURTHER}`)).toEqual([]);
    expect(assetsFor('facebook', `${LINK}&${PHOTO}&${FURTHER}`)).toHaveLength(2);
  });

  test('of a link preview are in it, the thumbnail in the place of a picture that is not named', () => {
    expect(inputFor('linkedin', `${LINK}&${THUMBNAIL}`).input['metadata']).toEqual({
      linkedin: { linkAttachment: { url: 'https://a.example/b', thumbnail: { url: address('t') } } },
    });
    expect(inputFor('linkedin', `${LINK}&${THUMBNAIL}&${PICTURE}`).input['metadata']).toMatchObject({
      linkedin: { linkAttachment: { thumbnail: { url: address('p') } } },
    });
  });
});

const mediaOf = (text: string): UpdateMedia => read(text).media;

test.each([
  ['twitter', PHOTO, true],
  ['twitter', PICTURE, true],
  ['twitter', VIDEO, true],
  ['twitter', LINK, false],
  ['twitter', `${LINK}&${PICTURE}`, false],
  ['mastodon', `${LINK}&${PICTURE}`, true],
  ['mastodon', LINK, false],
  ['threads', LINK, true],
  ['threads', THUMBNAIL, false],
  ['twitter', `${THUMBNAIL}&${FURTHER}&media[title]=T`, false],
])('a call to %s with %s names what a post shows first: %s', (service, text, isFirst) => {
  expect(bringsFirst(mediaOf(text), service)).toBe(isFirst);
});

test('the photo comes before the picture', () => {
  expect(firstPicture(mediaOf(`${PHOTO}&${PICTURE}`), 'twitter')).toBe(address('f'));
  expect(firstPicture(mediaOf(`${PHOTO}&${LINK}&${PICTURE}`), 'twitter')).toBe(address('f'));
});

const ALT_TEXT = 'media[alt_text], for which the post has no place';

test.each<[string, string, string[]]>([
  ['twitter', 'media=text', ['media, which has to be a map, such as media[link]']],
  ['twitter', 'media[image]=x', ['media[image], which is no parameter of an update']],
  ['twitter', 'extra_media[0][a]=x', ['extra_media[0][a], which is no parameter of an update']],
  ['twitter', 'media[alt_text]=x', [ALT_TEXT]],
  ['twitter', `${VIDEO}&media[alt_text]=x`, [ALT_TEXT]],
  ['twitter', `${FURTHER}&media[alt_text]=x`, [ALT_TEXT]],
  ['twitter', `${PHOTO}&media[alt_text]=x`, []],
  ['twitter', THUMBNAIL, [`media[thumbnail] ${address('t')}, for which the post has no place`]],
  [
    'pinterest',
    `subprofile_ids[]=b&${LINK}&${THUMBNAIL}`,
    [`media[thumbnail] ${address('t')}, for which the post has no place beside its other media`],
  ],
  ['twitter', 'media[title]=T', ['media[title], for which the post has no place']],
  [
    'facebook',
    `${LINK}&${FURTHER}`,
    ['extra_media[0][photo], for which the post has no place beside its other media'],
  ],
])('what %s does not take of %s is told', (service, text, lost) => {
  expect(lostFor(service, text)).toEqual(lost);
});
