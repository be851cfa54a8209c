import { changedUpdate, newUpdate } from '../../src/domain/translation/new-update.ts';
import { reorderFields, shuffleFields } from '../../src/domain/translation/queue-order.ts';

/** What a caller reads when a parameter of an old call is refused. */

const pairsOf = (text: string) => [...new URLSearchParams(text)];

function wordsOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

const ADDRESS = 'has to be a whole http or https address of at most 2048 characters';
const FLAG = 'has to be true or false';

const CREATES: Array<[text: string, field: string, why: string]> = [
  ['scheduled_at=tomorrow', 'scheduled_at', 'has to be a Unix time in seconds or an ISO 8601 date and time'],
  ['scheduled_at=2020-01-01', 'scheduled_at', 'lies in the past'],
  ['now[]=1', 'now', 'has to be a single value, not a list or a map'],
  ['now=1&now=0', 'now', 'was sent more than once with different values'],
  ['now=perhaps', 'now', FLAG],
  ['shorten=perhaps', 'shorten', FLAG],
  ['attachment=perhaps', 'attachment', FLAG],
  ['is_draft=perhaps', 'is_draft', FLAG],
  ['profile_ids[a]=b', 'profile_ids', 'has to be a list of single values'],
  [`profile_ids=${','.repeat(1000)}`, 'profile_ids', 'has more than 1000 values'],
  [
    `profile_ids=${Array.from({ length: 51 }, (_, id) => id).join()}`,
    'profile_ids',
    'names more than 50 profiles',
  ],
  [`subprofile_ids[]=${'s'.repeat(101)}`, 'subprofile_ids', 'holds an id of more than 100 characters'],
  [`text=${'t'.repeat(10_001)}`, 'text', 'has more than 10000 characters'],
  [`media[title]=${'t'.repeat(10_001)}`, 'media[title]', 'has more than 10000 characters'],
  [`media[description]=${'t'.repeat(10_001)}`, 'media[description]', 'has more than 10000 characters'],
  ['media[photo][url]=x', 'media', 'has to be a map of single values, such as media[link]'],
  ...['photo', 'picture', 'thumbnail', 'video', 'link'].map(
    (name) => [`media[${name}]=x`, `media[${name}]`, ADDRESS] as [string, string, string],
  ),
  ['retweet=1', 'retweet', 'has to be a map, such as retweet[tweet_id]'],
  ['retweet[comment]=C', 'retweet[tweet_id]', 'is missing'],
  ['retweet[tweet_id]=x', 'retweet[tweet_id]', 'has to be the number of a tweet'],
  [`retweet[comment]=${'c'.repeat(10_001)}`, 'retweet[comment]', 'has more than 10000 characters'],
];

test.each(CREATES)('a create is told what is wrong, row %#', (text, field, why) => {
  const given = text.startsWith('profile_ids') ? text : `profile_ids[]=a&${text}`;
  const pairs = pairsOf(text.startsWith('text') ? given : `${given}&text=x`);
  expect(wordsOf(() => newUpdate(pairs, Date.UTC(2026, 10, 1)))).toBe(`The parameter ${field} ${why}.`);
});

test('what is missing is named', () => {
  expect(wordsOf(() => newUpdate(pairsOf('text=x'), 0))).toBe('The parameter profile_ids is missing.');
  expect(wordsOf(() => newUpdate(pairsOf('profile_ids=a&text= '), 0))).toBe('The parameter text is missing.');
  expect(wordsOf(() => changedUpdate(pairsOf('now=1'), 0))).toBe('The parameter text is missing.');
});

const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => index.toString(16).padStart(24, '0')).join(',');

test.each([
  ['order=', 'is missing'],
  ['order=x', 'has to be a list of ids of updates'],
  [`order=${ids(1)},x`, 'has to be a list of ids of updates'],
  [`order=${'a'.repeat(25)}`, 'has to be a list of ids of updates'],
  [`order=x${'a'.repeat(24)}`, 'has to be a list of ids of updates'],
  [`order=${ids(501)}`, 'names more than 500 updates'],
  [`order=${ids(1)},${ids(1)}`, `names the update ${ids(1)} more than once`],
  ...[
    [1, 0],
    [2, 1],
    [10, 9],
    [1, 1],
  ].map(([first, second]): [string, string] => [
    `order[${first}]=${ids(1)}&order[${second}]=${'a'.repeat(24)}`,
    'gives its places twice, or in another sequence than its values',
  ]),
])('a reorder is told what is wrong with its order, row %#', (text, why) => {
  expect(wordsOf(() => reorderFields(pairsOf(text)))).toBe(`The parameter order ${why}.`);
});

test('an order names up to five hundred updates, each place after the one before', () => {
  expect(reorderFields(pairsOf(`order=${ids(500)}`)).ids).toHaveLength(500);
  const [first, second] = [ids(1), 'A'.repeat(24)];
  const order = reorderFields(pairsOf(`xorder[99]=1&order[9]=${first}&order[10]=${second}`));
  expect(order).toEqual({ ids: [first, second.toLowerCase()], offset: 0, isUtc: false });
  expect(() => reorderFields([])).toThrow(expect.objectContaining({ field: 'order', code: 1004 }));
});

test.each([
  [reorderFields, 'offset=500', 'offset', 'has to be a whole number from 0 to 499'],
  [shuffleFields, 'count=0', 'count', 'has to be a whole number from 1 to 100000'],
  [shuffleFields, 'utc=perhaps', 'utc', FLAG],
])('a count, an offset and a flag are told their bounds, row %#', (read, text, field, why) => {
  const pairs = pairsOf(`order=${ids(1)}&${text}`);
  expect(wordsOf(() => read(pairs))).toBe(`The parameter ${field} ${why}.`);
});
