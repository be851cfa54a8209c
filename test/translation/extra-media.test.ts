import { FieldRefused, type FieldPairs } from '../../src/domain/translation/call-fields.ts';
import {
  addressOf,
  type ExtraPicture,
  extraMediaIn,
  lostExtra,
} from '../../src/domain/translation/extra-media.ts';

/** The pictures beside `media`, as a call names them, and what is said of those that a post does not take. */

const pairsOf = (text: string): FieldPairs => [...new URLSearchParams(text)];

const read = (text: string) => extraMediaIn(pairsOf(text));

const address = (name: string) => `https://a.example/${name}.png`;

const photo = (at: string, name: string) => `extra_media[${at}][photo]=${address(name)}`;

test('an entry has its addresses and its alternative text', () => {
  const rest = `[picture]=${address('p')}&extra_media[7][thumbnail]=${address('t')}&extra_media[7][alt_text]=A loaf`;
  expect(read(`${photo('7', 'f')}&extra_media[7]${rest}`)).toEqual({
    extra: [
      {
        name: 'extra_media[7]',
        photo: address('f'),
        picture: address('p'),
        thumbnail: address('t'),
        altText: 'A loaf',
      },
    ],
    unknown: [],
  });
});

const namesAndPhotos = (text: string) => read(text).extra.map(({ name, photo: one }) => [name, one]);

test('entries stand in the order of the call, and those without a number each by itself', () => {
  expect(namesAndPhotos(`${photo('1', 'b')}&${photo('0', 'a')}&${photo('123456789', 'c')}`)).toEqual([
    ['extra_media[1]', address('b')],
    ['extra_media[0]', address('a')],
    ['extra_media[123456789]', address('c')],
  ]);
  expect(namesAndPhotos(`${photo('', 'b')}&${photo('', 'a')}`)).toEqual([
    ['extra_media[]', address('b')],
    ['extra_media[]', address('a')],
  ]);
});

test.each(['extra_media=', 'extra_media[0]=', 'extra_mediation=x', 'xextra_media=x', 'media[extra_media]=x'])(
  '%s brings no picture',
  (text) => {
    expect(read(text)).toEqual({ extra: [], unknown: [] });
  },
);

test.each([
  'extra_media=x',
  'extra_media[0]=x',
  'extra_media[a][photo]=x',
  'extra_media[0][photo][b]=x',
  'extra_media[0][a b]=x',
  'extra_media[a]extra_media[0][photo]=x',
  'extra_media[1234567890][photo]=x',
])('%s is no list of maps', (text) => {
  expect(() => read(text)).toThrow(
    'The parameter extra_media has to be a list of maps of single values, such as extra_media[0][photo].',
  );
  expect(() => read(text)).toThrow(FieldRefused);
});

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => photo(String(at), `f${at}`)).join('&');

test('fifty pictures may be named, and no more', () => {
  expect(read(many(50)).extra).toHaveLength(50);
  expect(() => read(many(51))).toThrow('The parameter extra_media names more than 50 pictures.');
});

test.each(['photo', 'picture', 'thumbnail'])('%s has to be one address', (field) => {
  expect(() => read(`extra_media[0][${field}]=x`)).toThrow(
    `The parameter extra_media[0][${field}] has to be a whole`,
  );
  const two = `extra_media[0][${field}]=${address('a')}&extra_media[0][${field}]=${address('b')}`;
  expect(() => read(two)).toThrow('was sent more than once with different values');
});

const saidOf = (length: number) => read(`extra_media[0][alt_text]=${'x'.repeat(length)}`);

test('an alternative text has ten thousand characters at most', () => {
  expect(saidOf(10_000).extra[0]?.altText).toHaveLength(10_000);
  expect(() => saidOf(10_001)).toThrow('extra_media[0][alt_text] has more than 10000 characters');
});

test('names that are no parameters are told, up to their hundredth character', () => {
  const text = `extra_media[0][alt-text]=x&extra_media[0][]=y&extra_media[][${'n'.repeat(101)}]=z`;
  expect(read(text).unknown).toEqual([
    'extra_media[0][alt-text]',
    'extra_media[0][]',
    `extra_media[][${'n'.repeat(100)}]`,
  ]);
});

const NONE = { photo: undefined, picture: undefined, thumbnail: undefined, altText: undefined };

const entry = (at: number, fields: Partial<ExtraPicture>): ExtraPicture => ({
  name: `extra_media[${at}]`,
  ...NONE,
  ...fields,
});

test('the photo is the picture itself, else what is called picture', () => {
  expect(addressOf(entry(0, { photo: 'a', picture: 'b' }))).toBe('a');
  expect(addressOf(entry(0, { picture: 'b', thumbnail: 'c' }))).toBe('b');
});

const TOLD = 'for which the post has no place beside its other media';

const nothing = () => false;

test('what was not sent is told in one sentence', () => {
  const all = entry(0, { photo: 'a', picture: 'b', thumbnail: 'c', altText: 'd' });
  expect(lostExtra([], nothing)).toEqual([]);
  expect(lostExtra([entry(1, { picture: 'a' })], nothing)).toEqual([`extra_media[1][picture], ${TOLD}`]);
  expect(lostExtra([all, entry(1, {})], nothing)).toEqual([
    `extra_media[0][photo] and 3 more of extra_media, ${TOLD}`,
  ]);
  expect(lostExtra([all], (sent) => sent !== 'c')).toEqual([`extra_media[0][thumbnail], ${TOLD}`]);
});

test('an alternative text is lost where its picture is, or where it has none', () => {
  const said = [`extra_media[0][alt_text], ${TOLD}`];
  expect(lostExtra([entry(0, { altText: 'd' })], () => true)).toEqual(said);
  expect(lostExtra([entry(0, { photo: 'a', altText: 'd' })], () => true)).toEqual([]);
  expect(lostExtra([entry(0, { picture: 'a', altText: 'd' })], nothing)).toEqual([
    `extra_media[0][picture] and 1 more of extra_media, ${TOLD}`,
  ]);
});
