import { FieldRefused, type FieldPairs } from '../../src/domain/translation/call-fields.ts';
import { changedUpdate, newUpdate } from '../../src/domain/translation/new-update.ts';
import { leastTime } from '../support/least-time.ts';

/** What the parameters of an old create and update mean, row by row. */

const NOW = Date.UTC(2026, 10, 1, 12);

const pairsOf = (text: string): FieldPairs => [...new URLSearchParams(text)];

const read = (text: string) => newUpdate(pairsOf(text), NOW);

function refusalOf(work: () => unknown): { field: string; code: number } {
  try {
    work();
  } catch (error) {
    if (error instanceof FieldRefused) return { field: error.field, code: error.code };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the profiles', () => {
  test.each([
    ['profile_ids[]=a&profile_ids[]=b', ['a', 'b']],
    ['profile_ids[0]=a&profile_ids[1]=b', ['a', 'b']],
    ['profile_ids%5B%5D=a&profile_ids%5B%5D=b', ['a', 'b']],
    ['profile_ids=a&profile_ids=b', ['a', 'b']],
    ['profile_ids=a', ['a']],
    ['profile_ids=a,b', ['a', 'b']],
    ['profile_ids[]=a&profile_ids[]=a', ['a']],
    ['profile_ids[]=&profile_ids[]=a', ['a']],
  ])('of %s', (text, expected) => {
    expect(read(`${text}&text=x`).profileIds).toEqual(expected);
  });

  test.each([
    ['', 1004],
    ['profile_ids[]=', 1004],
    ['profile_ids[a]=b', 1006],
    ['profile_ids[0][id]=b', 1006],
    [Array.from({ length: 51 }, (_, index) => `profile_ids[]=${index}`).join('&'), 1006],
  ])('are refused in %s', (text, code) => {
    expect(refusalOf(() => read(`${text}&text=x`))).toEqual({ field: 'profile_ids', code });
  });
});

const at = (iso: string) => ({ mode: 'customScheduled', dueAt: Date.parse(iso) });

describe('the time', () => {
  test.each([
    ['', undefined],
    ['now=true', { mode: 'shareNow' }],
    ['now=1', { mode: 'shareNow' }],
    ['now=false', undefined],
    ['now=', undefined],
    ['top=yes', { mode: 'shareNext' }],
    ['top=0', undefined],
    ['now=true&top=true', { mode: 'shareNow' }],
    ['scheduled_at=1793541600', at('2026-11-01T14:00:00Z')],
    ['scheduled_at=1793541600.75', at('2026-11-01T14:00:00Z')],
    ['scheduled_at=1793541600.1234567', at('2026-11-01T14:00:00Z')],
    ['scheduled_at=2026-11-02T08:30:00Z', at('2026-11-02T08:30:00Z')],
    ['scheduled_at=2026-11-02T08:30:00.250Z', at('2026-11-02T08:30:00.250Z')],
    ['scheduled_at=2026-11-02T08:30:00%2B02:00', at('2026-11-02T06:30:00Z')],
    ['scheduled_at=2026-11-02T08:30:00%2B0200', at('2026-11-02T06:30:00Z')],
    ['scheduled_at=2026-11-02T08:30:00+02:00', at('2026-11-02T06:30:00Z')],
    ['scheduled_at=2026-11-02T08:30:00-05', at('2026-11-02T13:30:00Z')],
    ['scheduled_at=2026-11-02T08:30', at('2026-11-02T08:30:00Z')],
    ['scheduled_at=2026-11-02 08:30:00', at('2026-11-02T08:30:00Z')],
    ['scheduled_at=2026-11-02 08:30:00 UTC', at('2026-11-02T08:30:00Z')],
    ['scheduled_at=2026-11-02 08:30:00 %2B0200', at('2026-11-02T06:30:00Z')],
    ['scheduled_at=2026-11-02T08:30:00,5Z', at('2026-11-02T08:30:00.500Z')],
    ['scheduled_at=2026-11-02T08:30:00.123456789Z', at('2026-11-02T08:30:00.123Z')],
    ['scheduled_at=2026-11-02T08:30:00+0200', at('2026-11-02T06:30:00Z')],
    ['scheduled_at=2026-11-02T08:30 Z', at('2026-11-02T08:30:00Z')],
    ['scheduled_at= 2026-11-02T08:30:00Z ', at('2026-11-02T08:30:00Z')],
    ['scheduled_at=2026-11-02', at('2026-11-02T00:00:00Z')],
    ['scheduled_at=2026-11-02&now=true&top=true', at('2026-11-02T00:00:00Z')],
    ['scheduled_at=&now=true', { mode: 'shareNow' }],
  ])('of %s', (text, expected) => {
    expect(read(`profile_ids[]=a&text=x&${text}`).timing).toEqual(expected);
  });

  test.each([
    ['scheduled_at=tomorrow', 'scheduled_at', 1006],
    ['scheduled_at=on 2026-11-02', 'scheduled_at', 1006],
    ['scheduled_at=2026-11-02 at noon', 'scheduled_at', 1006],
    ['scheduled_at=2026-11-02T08:30:00Zulu', 'scheduled_at', 1006],
    ['scheduled_at=2026-02-30', 'scheduled_at', 1006],
    ['scheduled_at=1793541600.', 'scheduled_at', 1006],
    ['scheduled_at=1793541600.5.5', 'scheduled_at', 1006],
    ['scheduled_at=2026-13-01', 'scheduled_at', 1006],
    ['scheduled_at=1793541600000', 'scheduled_at', 1006],
    ['scheduled_at=-5', 'scheduled_at', 1006],
    ['scheduled_at=0', 'scheduled_at', 1034],
    ['scheduled_at=2026-11-01T12:00:00Z', 'scheduled_at', 1034],
    ['scheduled_at=2020-01-01', 'scheduled_at', 1034],
    ['scheduled_at[]=2026-11-02', 'scheduled_at', 1006],
    ['scheduled_at=2026-11-02&scheduled_at=2026-11-03', 'scheduled_at', 1006],
    ['now=perhaps', 'now', 1006],
    ['top[a]=1', 'top', 1006],
  ])('is refused in %s', (text, field, code) => {
    expect(refusalOf(() => read(`profile_ids[]=a&text=x&${text}`))).toEqual({ field, code });
  });
});

describe('what is posted', () => {
  test('text, media, a retweet, a draft and boards are read as they came', () => {
    const update = read(
      'profile_ids[]=a&text=Ein+Brot%26mehr&media[link]=https://a.example/b&media[title]=T&media[description]=D&media[picture]=https://a.example/p.png&media[thumbnail]=https://a.example/t.png&media[photo]=https://a.example/f.png&retweet[tweet_id]=123&retweet[comment]=C&is_draft=true&subprofile_ids[]=s1&shorten=true&attachment=false',
    );
    expect(update).toEqual({
      profileIds: ['a'],
      text: 'Ein Brot&mehr',
      timing: undefined,
      media: {
        photo: 'https://a.example/f.png',
        picture: 'https://a.example/p.png',
        thumbnail: 'https://a.example/t.png',
        video: undefined,
        link: 'https://a.example/b',
        title: 'T',
        description: 'D',
        extra: [],
        unknown: [],
        isText: false,
      },
      retweet: { id: '123', comment: 'C' },
      isDraft: true,
      subprofileIds: ['s1'],
    });
  });

  test.each([
    'media[photo]=https://a.example/f.png',
    'retweet[tweet_id]=1',
    'media[link]=https://a.example/',
    'extra_media[0][photo]=https://a.example/f.png',
  ])('%s needs no text', (text) => {
    expect(read(`profile_ids[]=a&${text}`).text).toBe('');
  });

  test('parameters that are not known change nothing', () => {
    expect(read('profile_ids[]=a&text=x&body[text]=y&_=1&callback=f&media[other]=z&client_id=c').text).toBe(
      'x',
    );
  });

  test.each([
    ['', 'text', 1004],
    ['text=+', 'text', 1004],
    ['media[title]=T', 'text', 1004],
    [`text=${'x'.repeat(10_001)}`, 'text', 1004],
    ['text[]=x', 'text', 1006],
    ['text=x&text=y', 'text', 1006],
    ['text=x&media[photo][]=https://a.example/', 'media', 1006],
    ['text=x&media[photo]=ftp://a.example/', 'media[photo]', 1006],
    ['text=x&media[photo]=/f.png', 'media[photo]', 1006],
    ['text=x&media[link]=javascript:alert(1)', 'media[link]', 1006],
    [`text=x&media[link]=https://a.example/${'x'.repeat(2048)}`, 'media[link]', 1006],
    [`text=x&media[title]=${'x'.repeat(10_001)}`, 'media[title]', 1004],
    ['retweet[comment]=C', 'retweet[tweet_id]', 1004],
    ['retweet[tweet_id]=abc', 'retweet[tweet_id]', 1006],
    ['retweet=123', 'retweet', 1006],
    ['text=x&is_draft=maybe', 'is_draft', 1006],
    ['text=x&shorten=maybe', 'shorten', 1006],
    [`text=x&subprofile_ids=${'a'.repeat(101)}`, 'subprofile_ids', 1006],
  ])('is refused in %s', (text, field, code) => {
    expect(refusalOf(() => read(`profile_ids[]=a&${text}`))).toEqual({ field, code });
  });
});

describe.each(['profile_ids', 'subprofile_ids'])('the list %s', (field) => {
  const others = field === 'profile_ids' ? 'text=x' : 'text=x&profile_ids[]=a';

  test.each([
    ['commas alone', () => `${field}=${','.repeat(1000)}`],
    ['the same id', () => `${field}=a${',a'.repeat(1000)}`],
    ['pairs', () => `${field}[]=a&`.repeat(1001)],
    ['pairs with commas', () => `${field}[]=${',a'.repeat(500)}&${field}[]=${',a'.repeat(500)}`],
  ])('has a thousand values at most: %s', (_, textOf) => {
    expect(refusalOf(() => read(`${others}&${textOf()}`))).toEqual({ field, code: 1006 });
  });

  test('may name one id a thousand times', () => {
    expect(read(`${others}&${field}=a${',a'.repeat(999)}`)).toMatchObject({ profileIds: ['a'] });
  });
});

const changed = (text: string) => changedUpdate(pairsOf(text), NOW);

test('an update of a post needs a text and names no profiles', () => {
  expect(changed('text=New&scheduled_at=2026-11-02')).toMatchObject({
    text: 'New',
    timing: { mode: 'customScheduled', dueAt: Date.UTC(2026, 10, 2) },
  });
  expect(refusalOf(() => changed('now=true'))).toEqual({ field: 'text', code: 1004 });
});

test.each([
  ['', undefined],
  ['&scheduled_at=', { mode: 'addToQueue' }],
  ['&scheduled_at=&now=', { mode: 'addToQueue' }],
  ['&scheduled_at=&now=1', { mode: 'shareNow' }],
  ['&scheduled_at=&scheduled_at=2026-11-02', at('2026-11-02T00:00:00Z')],
])('an update of a post with %j has the time %j', (text, timing) => {
  expect(changed(`text=x${text}`).timing).toEqual(timing);
});

const timeOf = (text: string) =>
  newUpdate([...pairsOf('profile_ids[]=a&text=x'), ['scheduled_at', text]], NOW).timing;

test.each([
  ['20261102T083000Z', '2026-11-02T08:30:00Z'],
  ['20261102T0830+0200', '2026-11-02T06:30:00Z'],
  ['20261102T083000 0200', '2026-11-02T06:30:00Z'],
  ['Mon, 02 Nov 2026 08:30:00 +0200', '2026-11-02T06:30:00Z'],
  ['Mon, 02 Nov 2026 08:30:00  0200', '2026-11-02T06:30:00Z'],
  ['Mon, 2 Nov 2026 08:30:00 GMT', '2026-11-02T08:30:00Z'],
  ['Mon, 02 Nov 2026 08:30:00 +0000 (UTC)', '2026-11-02T08:30:00Z'],
  ['Mon, 02 Nov 2026 08:30:00 EST', '2026-11-02T13:30:00Z'],
  ['Mon, 02 Nov 26 08:30:00 +0000', '2026-11-02T08:30:00Z'],
  ['2 Nov 2026 08:30 -0000', '2026-11-02T08:30:00Z'],
  ['2 November 2026 08:30', '2026-11-02T08:30:00Z'],
  ['Monday, 02-Nov-26 08:30:00 GMT', '2026-11-02T08:30:00Z'],
  ['Monday, 02-Nov-2026 08:30:00 UTC', '2026-11-02T08:30:00Z'],
  ['Mon Nov  2 08:30:00 2026', '2026-11-02T08:30:00Z'],
  ['Mon Nov 02 08:30:00 +0200 2026', '2026-11-02T06:30:00Z'],
  ['Mon Nov 02 2026 08:30:00 GMT+0200 (CEST)', '2026-11-02T06:30:00Z'],
  ['Mon Nov 02 2026 08:30:00 GMT 0200 (Central European Standard Time)', '2026-11-02T06:30:00Z'],
])('a time of %j is %s', (text, iso) => {
  expect(timeOf(text)).toEqual(at(iso));
});

test.each([
  'Tue, 02 Nov 2026 08:30:00 GMT',
  'Mon, 02 Nov 2026 08:30:00 IST',
  'Mon, 31 Feb 2027 08:30:00 GMT',
  'Mon, 02 Nov 2026 25:30:00 GMT',
  'Mon, 02 Foo 2026 08:30:00 GMT',
  'Monkey, 02 Nov 2026 08:30:00 GMT',
  '02-Nov-26 08:30:00',
  '02/11/2026 08:30',
  'Nov 2026',
  '20261302T083000Z',
])('a time of %j has no one meaning, and is refused', refuseTime);

function refuseTime(text: string): void {
  const pairs: FieldPairs = [...pairsOf('profile_ids[]=a&text=x'), ['scheduled_at', text]];
  expect(refusalOf(() => newUpdate(pairs, NOW))).toEqual({ field: 'scheduled_at', code: 1006 });
}

test.each(['00:00', '0', ' ', 'T', '2026-11-02 00:00 '])('a long time of %j is refused at once', (unit) => {
  const hostile = `1${unit.repeat(100_000 / unit.length)}x`;
  const plain = leastTime(() => refuseTime('x'.repeat(hostile.length)));
  expect(leastTime(() => refuseTime(hostile))).toBeLessThan(20 * plain + 300);
});
