import { chunksOf } from '../../src/shared/chunks-of.ts';

test.each([
  ['no part', [], 2, []],
  ['one part, where all fit', ['a', 'b'], 2, [['a', 'b']]],
  ['a last part with the rest', ['a', 'b', 'c', 'd', 'e'], 2, [['a', 'b'], ['c', 'd'], ['e']]],
])('items are split into %s', (_, items: string[], size, parts) => {
  expect([...chunksOf(items, size)]).toEqual(parts);
});

test('a part keeps its items when the list changes later', () => {
  const items = [1, 2, 3];
  const seen: number[][] = [];
  for (const part of chunksOf(items, 2)) {
    seen.push(part);
    if (seen.length === 1) items[0] = 9;
  }
  expect(seen).toEqual([[1, 2], [3]]);
});
