import {
  boundedText,
  type FieldPairs,
  flag,
  webAddress,
  wholeNumber,
} from '../../src/domain/translation/call-fields.ts';
import { inDoubtWords } from '../../src/domain/translation/doubt-words.ts';
import { changedUpdate, newUpdate } from '../../src/domain/translation/new-update.ts';
import { editedPostOf } from '../../src/domain/translation/edits/edited-post.ts';
import { editInput } from '../../src/domain/translation/edits/edit-input.ts';
import { createInput } from '../../src/domain/translation/post-input.ts';

/** What is just accepted, what is just refused, and the whole sentences about what is lost. */

const NOW = Date.UTC(2026, 10, 1, 12);

const pairsOf = (text: string): FieldPairs => [...new URLSearchParams(text)];

const read = (text: string) => newUpdate(pairsOf(`profile_ids[]=a&text=x&${text}`), NOW);

const inputFor = (service: string, text: string) => createInput(read(text), { id: 'c1', service });

const of = (value: string): FieldPairs => [['n', value]];

describe('a field', () => {
  const bounds = { least: 2, most: 12 };

  test.each<[string, number | undefined]>([
    ['2', 2],
    [' 3 ', 3],
    ['12', 12],
    [' ', undefined],
    ['', undefined],
  ])('%j is a whole number', (value, number) => {
    expect(wholeNumber(of(value), 'n', bounds)).toBe(number);
  });

  test.each(['1', '13', '-3', '3.0'])('%j is none within the bounds', (value) => {
    expect(() => wholeNumber(of(value), 'n', bounds)).toThrow('has to be a whole number from 2 to 12');
  });

  const LONGEST = `https://a.example/${'x'.repeat(2030)}`;

  test.each<[string, string | undefined]>([
    [' https://a.example/ ', 'https://a.example/'],
    ['HTTP://a.example', 'HTTP://a.example'],
    [LONGEST, LONGEST],
    [' ', undefined],
  ])('%.30j is an address', (value, address) => {
    expect(webAddress(of(value), 'n')).toBe(address);
  });

  test.each(['xhttps://a.example/', 'https:///a', `${LONGEST}x`])('%.30j is none', (value) => {
    expect(() => webAddress(of(value), 'n')).toThrow('has to be a whole http or https address');
  });

  test.each([
    ['on', true],
    ['YES', true],
    ['no', false],
    ['off', false],
  ])('%s is %s', (value, isTrue) => {
    expect(flag(of(value), 'n')).toBe(isTrue);
  });

  test('a text may be as long as it may be', () => {
    expect(boundedText(of('abc'), 'n', 3)).toBe('abc');
    expect(() => boundedText(of('abcd'), 'n', 3)).toThrow('has more than 3 characters');
  });
});

describe('an update', () => {
  test('names fifty profiles and boards of a hundred characters', () => {
    const ids = Array.from({ length: 50 }, (_, n) => `p${n}`);
    expect(newUpdate(pairsOf(`profile_ids=${ids.join()}&text=x`), NOW).profileIds).toEqual(ids);
    const board = 'b'.repeat(100);
    expect(read(`subprofile_ids[]=${board}`).subprofileIds).toEqual([board]);
  });

  test('names profiles with spaces between them, and no lists of lists', () => {
    expect(newUpdate(pairsOf('profile_ids=a, b&text=x'), NOW).profileIds).toEqual(['a', 'b']);
    expect(() => newUpdate(pairsOf('profile_ids[a][0]=b&text=x'), NOW)).toThrow(
      'has to be a list of single values',
    );
  });

  test.each(['media=', 'mediation=x', 'mediamedia=x', 'retweet=', 'xmedia[foo]=y'])(
    'knows nothing of %s',
    (text) => {
      expect(read(text)).toEqual(read(''));
    },
  );

  test.each(['x1', '1x', '1'.repeat(21)])('retweets no tweet %s', (id) => {
    expect(() => read(`retweet[tweet_id]=${id}`)).toThrow('has to be the number of a tweet');
  });

  test('an unknown name is quoted up to its hundredth character', () => {
    expect(read(`media[${'n'.repeat(101)}]=x`).media.unknown).toEqual([`media[${'n'.repeat(100)}]`]);
  });
});

const LINK = 'media[link]=https://a.example/b';
const PICTURE = 'media[picture]=https://a.example/p.png';
const THUMBNAIL = 'media[thumbnail]=https://a.example/t.png';
const PHOTO = 'media[photo]=https://a.example/f.png';
const VIDEO = 'media[video]=https://a.example/v.mp4';

const LOST_LINK =
  'the link https://a.example/b, for which a post of this service has no place beside its text and media';

function lostMedia(name: string, file: string): string {
  return `media[${name}] https://a.example/${file}, for which the post has no place beside its other media`;
}

const refusal = (service: string, text: string) => () => inputFor(service, text);

describe('a post', () => {
  test.each(['facebook', 'linkedin', 'threads', 'bluesky'])(
    'of %s has the link without a picture',
    (service) => {
      const { input } = inputFor(service, LINK);
      const { metadata } = input as { metadata: Record<string, Record<string, unknown>> };
      expect(JSON.stringify(metadata[service]?.['linkAttachment'])).toBe('{"url":"https://a.example/b"}');
    },
  );

  test.each<[string, string[]]>([
    [`${LINK}&${THUMBNAIL}`, []],
    [`${LINK}&${PICTURE}&${THUMBNAIL}`, []],
    [`${LINK}&${PHOTO}&${PICTURE}`, [LOST_LINK, lostMedia('picture', 'p.png')]],
    [`${LINK}&${PHOTO}&${VIDEO}`, [LOST_LINK, lostMedia('photo', 'f.png')]],
    [`${THUMBNAIL}&${VIDEO}`, [lostMedia('thumbnail', 't.png')]],
  ])('of facebook with %s says what is lost', (text, lost) => {
    expect(inputFor('facebook', text).leftOut).toEqual(lost);
  });

  test('is refused in whole sentences', () => {
    expect(refusal('pinterest', 'subprofile_ids[]=a&subprofile_ids[]=b')).toThrow(
      'The parameter subprofile_ids can name one board of a Pinterest profile only.',
    );
    expect(refusal('pinterest', '')).toThrow(
      'The parameter subprofile_ids is missing: a post for Pinterest needs a board.',
    );
    expect(refusal('youtube', '')).toThrow(
      /^A YouTube profile cannot be posted to from here: .*\(is_draft\)/,
    );
  });
});

const changed = (text: string) => changedUpdate(pairsOf(`text=x&${text}`), NOW);

const FACEBOOK_POST = {
  service: 'facebook',
  type: 'post',
  link: undefined,
  assets: [],
  kept: { type: 'post' },
  thread: [],
  text: 'x',
  hasOwnTime: false,
  mentions: [],
};

/** As the new API tells a post, whose one word is a mention. */
const TOLD_POST = {
  id: 'p1',
  status: 'scheduled',
  via: 'api',
  createdAt: '2026-11-01T10:00:00.000Z',
  updatedAt: '2026-11-01T10:00:00.000Z',
  text: 'Ann',
  channelId: 'c1',
  channelService: 'facebook',
  sharedNow: false,
  assets: [],
  shareMode: 'addToQueue',
  channel: { isQueuePaused: false },
  metadata: { type: 'post', annotations: [{ type: 'mention', indices: [0, 3] }] },
};

describe('an edit', () => {
  test('without media leaves the media of the post alone', () => {
    expect(editInput('p1', changed(''), FACEBOOK_POST).input).toEqual({
      id: 'p1',
      text: 'x',
    });
  });

  test('of a post whose link has no address names no link', () => {
    const post = editedPostOf({
      ...TOLD_POST,
      metadata: { ...TOLD_POST.metadata, linkAttachment: { url: '', title: 'Gone' } },
    });
    const { input } = editInput('p1', changed(''), post);
    expect(input.metadata).toEqual({ facebook: { type: 'post', annotations: [] } });
  });

  test('of a post whose channel is not known loses all media', () => {
    expect(editInput('p1', changed(`${LINK}&${PICTURE}`), undefined).leftOut).toEqual([
      'the link https://a.example/b, for which a post of this service has no place beside its text and media',
      `media[picture] https://a.example/p.png, for which the post has no place`,
    ]);
  });
});

test('a fault of the new API is quoted as it is, with one full stop', () => {
  const told = { may: 'The post may be there', again: 'it' };
  const end = 'The post may be there: look at the profile before you send it again.';
  expect(inDoubtWords({ ...told, message: 'v1.2 failed.' })).toBe(
    `The new API answered: v1.2 failed. ${end}`,
  );
  expect(inDoubtWords({ ...told, message: 'It failed' })).toBe(`The new API answered: It failed. ${end}`);
});
