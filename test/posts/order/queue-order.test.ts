import fc from 'fast-check';
import { arrange, isArranged, type QueuedUpdate } from '../../../src/domain/posts/order/arrange.ts';
import { drawOrder } from '../../../src/domain/posts/order/draw-order.ts';
import { type Move, planMoves } from '../../../src/domain/posts/order/plan-moves.ts';
import { FieldRefused, type FieldPairs } from '../../../src/domain/translation/call-fields.ts';
import { reorderFields, shuffleFields } from '../../../src/domain/translation/queue-order.ts';

/** The order of a queue without a queue: what a call asks for, where the posts have to stand, and the moves to there. */

const ID = 'a'.repeat(23);
const a = `${ID}1`;
const b = `${ID}2`;
const c = `${ID}3`;

/** What the new API makes of a move. */
function moved(queue: readonly string[], { id, position }: Move): string[] {
  const others = queue.filter((other) => other !== id);
  return position === 'top' ? [id, ...others] : [...others, id];
}

const letters = (count: number) => Array.from({ length: count }, (_, index) => `post ${index}`);

/** By trying every move from every order that the moves before have reached. */
function fewest(current: readonly string[], target: readonly string[]): number {
  const seen = new Set([current.join()]);
  let orders = [[...current]];
  for (let moves = 0; ; moves += 1) {
    if (orders.some((order) => order.join() === target.join())) return moves;
    const next = orders.flatMap((order) =>
      order.flatMap((id) => [
        moved(order, { id, position: 'top' }),
        moved(order, { id, position: 'bottom' }),
      ]),
    );
    orders = next.filter((order) => !seen.has(order.join()) && seen.add(order.join()));
  }
}

const orderOf = (most: number) =>
  fc
    .integer({ min: 1, max: most })
    .chain((count) => fc.shuffledSubarray(letters(count), { minLength: count, maxLength: count }));

describe('the moves', () => {
  test('bring every order about, and each of them changes where its post stands', () => {
    fc.assert(
      fc.property(orderOf(40), (target) => {
        let queue = letters(target.length);
        for (const move of planMoves(queue, target)) {
          const next = moved(queue, move);
          expect(next).not.toEqual(queue);
          queue = next;
        }
        expect(queue).toEqual(target);
      }),
    );
  });

  test('are never more than needed', () => {
    fc.assert(
      fc.property(orderOf(5), (target) => {
        const current = letters(target.length);
        expect(planMoves(current, target)).toHaveLength(fewest(current, target));
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['nothing, where the order is there', [0, 1, 2, 3], []],
    ['the last one to the top', [3, 0, 1, 2], ['3 top']],
    ['the first one to the bottom', [1, 2, 3, 0], ['0 bottom']],
    ['the first two, the other way round', [1, 0, 2, 3], ['1 top']],
    ['all but two, where the order is turned', [3, 2, 1, 0], ['2 bottom', '1 bottom', '0 bottom']],
  ])('%s', (_what, target, moves) => {
    const named = letters(4);
    const plan = planMoves(
      named,
      target.map((index) => named[index] ?? ''),
    );
    expect(plan.map(({ id, position }) => `${id.slice(5)} ${position}`)).toEqual(moves);
  });
});

/** Capitals keep their places. */
const queueOf = (text: string): QueuedUpdate[] =>
  text.split('').map((id) => ({ id, isMovable: id === id.toLowerCase() }));

describe('the order of a queue', () => {
  test.each([
    ['abcd', 'dcba', 0, 'dcba'],
    ['abcd', 'd', 0, 'dabc'],
    ['abcd', 'da', 1, 'bdac'],
    ['abcd', 'a', 3, 'bcda'],
    ['abcd', 'ab', 2, 'cdab'],
    ['aFbc', 'c', 0, 'cab'],
    ['aFbc', 'cFab', 0, 'cab'],
    ['aFbc', 'cab', 0, 'cab'],
    ['aFbc', 'c', 1, 'acb'],
    ['aFbc', 'Fc', 1, 'acb'],
    ['EFab', 'ba', 2, 'ba'],
    ['EFab', 'ba', 0, 'ba'],
  ])('of %s, where %s are to stand from place %i on', (queue, order, offset, expected) => {
    const wanted = { ids: order.split(''), offset };
    expect(arrange(queueOf(queue), wanted).join('')).toBe(expected);
    expect(isArranged(queueOf(queue), wanted)).toBe(queue.replaceAll(/[A-Z]/g, '') === expected);
  });

  test.each<[string, string, number, RegExp, number]>([
    ['abcd', 'x', 0, /update x, which is not in the buffer/, 1020],
    ['', 'a', 0, /not in the buffer/, 1020],
    ['abcd', 'ab', 3, /offset leaves no place/, 1006],
    ['abcd', 'a', 4, /has 4/, 1006],
    ['abEF', 'ab', 1, /offset leaves no place/, 1006],
    ['aFbc', 'Fcab', 0, /keeps its place/, 1006],
    ['aFbc', 'cbF', 0, /keeps its place/, 1006],
    ['Fabc', 'Fb', 1, /keeps its place/, 1006],
  ])('of %s cannot be %s from place %i on', (queue, order, offset, words, code) => {
    const refusal = (() => {
      try {
        return arrange(queueOf(queue), { ids: order.split(''), offset });
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(FieldRefused);
    expect(refusal).toMatchObject({ message: expect.stringMatching(words), code });
    expect(isArranged(queueOf(queue), { ids: order.split(''), offset })).toBe(false);
  });

  test('has every post once, and the others in the order that they had', () => {
    const drawn = orderOf(12).chain((order) =>
      fc.record({
        count: fc.constant(order.length),
        ids: fc.nat(order.length).map((length) => order.slice(0, length)),
        offset: fc.nat(order.length),
      }),
    );
    fc.assert(
      fc.property(drawn, ({ count, ids, offset }) => {
        const queue = letters(count).map((id) => ({ id, isMovable: true }));
        if (offset + ids.length > count) return;
        const order = arrange(queue, { ids, offset });
        expect(order.toSorted()).toEqual(letters(count).toSorted());
        expect(order.slice(offset, offset + ids.length)).toEqual(ids);
        const named = new Set(ids);
        expect(order.filter((id) => !named.has(id))).toEqual(letters(count).filter((id) => !named.has(id)));
      }),
    );
  });
});

describe('a shuffle', () => {
  const chance = Math.random;

  test('draws the whole of a queue that twenty moves can bring into any order', () => {
    for (const size of [0, 1, 2, 20, 21]) {
      const drawn = drawOrder(letters(size), chance);
      expect(drawn.toSorted()).toEqual(letters(size).toSorted());
      expect(planMoves(letters(size), drawn).length).toBeLessThanOrEqual(20);
    }
  });

  test.each([100, 22])('of %i posts draws twenty, each once, by twenty moves at most', (size) => {
    const queue = letters(size);
    for (let run = 0; run < 50; run += 1) {
      const drawn = drawOrder(queue, chance);
      expect(drawn).toHaveLength(20);
      expect(new Set(drawn).size).toBe(20);
      const target = [...drawn, ...queue.filter((id) => !drawn.includes(id))];
      expect(planMoves(queue, target).length).toBeLessThanOrEqual(20);
    }
  });

  test('brings about every order there is, none far more often than another', () => {
    const counts = new Map<string, number>();
    for (let run = 0; run < 24_000; run += 1) {
      const order = drawOrder(letters(4), chance).join();
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    // A thousand each are to be expected; ten times the standard deviation never comes by chance.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(320);
  });

  test('of a long queue lets every post be the next one', () => {
    const firsts = new Set<string>();
    for (let run = 0; run < 4000; run += 1) firsts.add(drawOrder(letters(60), chance)[0] ?? '');
    expect(firsts.size).toBe(60);
  });
});

const order = (...values: string[]): FieldPairs => values.map((value) => ['order[]', value] as const);

describe('what a reorder asks for', () => {
  test.each<[string, FieldPairs, object]>([
    ['a list', order(a, b), { ids: [a, b], offset: 0, isUtc: false }],
    [
      'places',
      [
        ['order[0]', b],
        ['order[1]', a],
      ],
      { ids: [b, a], offset: 0 },
    ],
    [
      'places with gaps',
      [
        ['order[2]', b],
        ['order[7]', a],
      ],
      { ids: [b, a] },
    ],
    [
      'a repeated name',
      [
        ['order', a],
        ['order', b],
      ],
      { ids: [a, b] },
    ],
    ['commas', [['order', `${c}, ${a}`]], { ids: [c, a] }],
    ['an offset', [...order(a), ['offset', '10']], { ids: [a], offset: 10 }],
    ['an empty offset', [...order(a), ['offset', '']], { ids: [a], offset: 0 }],
    ['utc', [...order(a), ['utc', 'true']], { isUtc: true }],
    ['capital letters', order(a.toUpperCase()), { ids: [a] }],
  ])('as %s', (_, pairs, expected) => expect(reorderFields(pairs)).toMatchObject(expected));

  test.each<[string, FieldPairs, RegExp, number]>([
    ['nothing', [], /order is missing/, 1004],
    ['an empty list', order(''), /order is missing/, 1004],
    ['no ids', order('1', 'x'), /order has to be a list of ids/, 1006],
    ['more than a thousand commas', order(','.repeat(1000)), /order has more than 1000 values/, 1006],
    ['a map', [['order[x]', a]], /order has to be a list/, 1006],
    ['lists', [['order[0][0]', a]], /order has to be a list/, 1006],
    ['an id twice', order(a, b, a), /order names the update \w+ more than once/, 1006],
    ['an id twice, in capitals', order(a, a.toUpperCase()), /more than once/, 1006],
    [
      'places that fall',
      [
        ['order[1]', a],
        ['order[0]', b],
      ],
      /another sequence/,
      1006,
    ],
    [
      'one place twice',
      [
        ['order[0]', a],
        ['order[0]', b],
      ],
      /places twice/,
      1006,
    ],
    ['an offset below 0', [...order(a), ['offset', '-1']], /offset has to be a whole number/, 1006],
    ['half an offset', [...order(a), ['offset', '1.5']], /offset has to be a whole number/, 1006],
    ['an offset in words', [...order(a), ['offset', 'ten']], /offset has to be a whole number/, 1006],
    ['a list of offsets', [...order(a), ['offset[]', '1']], /offset has to be a single value/, 1006],
    ['two offsets', [...order(a), ['offset', '1'], ['offset', '2']], /different values/, 1006],
    ['an unknown utc', [...order(a), ['utc', 'maybe']], /utc has to be true or false/, 1006],
    [
      'too many',
      order(...Array.from({ length: 501 }, (_, index) => index.toString(16).padStart(24, '0'))),
      /more than 500/,
      1006,
    ],
  ])('is refused as %s', (_, pairs, words, code) => {
    expect(() => reorderFields(pairs)).toThrow(words);
    expect(() => reorderFields(pairs)).toThrow(expect.objectContaining({ code }));
  });
});

test('a shuffle takes a count and utc', () => {
  expect(shuffleFields([])).toEqual({ count: undefined, isUtc: false });
  expect(
    shuffleFields([
      ['count', '10'],
      ['utc', '1'],
    ]),
  ).toEqual({ count: 10, isUtc: true });
  for (const count of ['0', '-1', 'all', '1e3'])
    expect(() => shuffleFields([['count', count]])).toThrow(/count has to be a whole number/);
});
