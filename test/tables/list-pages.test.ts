import { array, assert, constantFrom, nat, property } from 'fast-check';
import {
  compareKeys,
  keysFrom,
  keyText,
  type PageKey,
  PAGE_ROWS,
  pageFrom,
  readKey,
} from '../../src/shared/list-pages.ts';

/** Pages of a list: whoever goes on to the end and back again meets each row once each way. */

const keysOf = (ranks: readonly number[]): PageKey[] => ranks.map((rank, at) => ({ rank, id: `id${at}` }));

function walk(sorted: readonly PageKey[], order: 'rising' | 'falling') {
  const onward: PageKey[][] = [];
  let page = pageFrom(keysFrom(sorted, undefined, order), undefined);
  onward.push(page.keys);
  while (page.next) {
    const position = { key: page.next, to: 'after' } as const;
    page = pageFrom(keysFrom(sorted, position, order), position);
    onward.push(page.keys);
  }
  const backward: PageKey[][] = [page.keys];
  while (page.previous) {
    const position = { key: page.previous, to: 'back' } as const;
    page = pageFrom(keysFrom(sorted, position, order), position);
    backward.unshift(page.keys);
  }
  return { onward, backward };
}

test('every row is met once on the way to the end, and once on the way back, whatever the ranks', () => {
  const ranks = array(nat(5), { minLength: 1, maxLength: 4 * PAGE_ROWS });
  assert(
    property(ranks, constantFrom('rising', 'falling'), (given, order) => {
      const sorted = keysOf(given).toSorted(compareKeys(order));
      const { onward, backward } = walk(sorted, order);
      expect(onward.flat()).toEqual(sorted);
      expect(backward.flat()).toEqual(sorted);
      expect(Math.max(...onward.map(({ length }) => length))).toBeLessThanOrEqual(PAGE_ROWS);
    }),
    { numRuns: 50 },
  );
});

test('a key is read as it was written, and nothing else is a key', () => {
  for (const key of [
    { rank: -5, id: 'ab' },
    { rank: 1_790_000_000_000, id: 'an app:with_any.form' },
  ])
    expect(readKey(keyText(key))).toEqual(key);
  for (const text of ['', '_', '5', '5_', 'x_1', '1e9_a', `1_${'a'.repeat(201)}`])
    expect(readKey(text)).toBeUndefined();
});
