import { compareUpdates } from '../../src/domain/reads/compare-updates.ts';
import { shadowLimit } from '../../src/domain/limits/shadow-allowance.ts';

/** How much comparisons of passed reads may take, and what they compare; both pure. */

const HOUR = 3_600_000;

test.each([
  ['all of the smallest plan', { fewest: 100, share: 1, age: HOUR }, 2],
  ['half of it', { fewest: 50, share: 0.5, age: HOUR }, 0],
  ['exactly three tenths of a thousand', { fewest: 300, share: 0.3, age: HOUR }, 2],
  ['less than three tenths', { fewest: 29_999, share: 0.29999, age: HOUR }, 0],
  ['much', { fewest: 10_000, share: 1, age: HOUR }, 250],
  ['much, said long ago', { fewest: 10_000, share: 1, age: 25 * HOUR }, 2],
  ['nothing', { fewest: 0, share: 0, age: 0 }, 0],
])('with %s left', (_what, left, limit) => {
  expect(shadowLimit(left)).toBe(limit);
});

test('two days of it are never more than a twentieth of what is left', () => {
  for (let fewest = 0; fewest <= 2000; fewest += 7)
    for (const share of [0.3, 0.5, 0.77, 1])
      expect(2 * shadowLimit({ fewest, share, age: 0 })).toBeLessThanOrEqual(0.05 * fewest);
});

const update = { id: 'a', text: 'x', due_at: 1, status: 'buffer' };

test.each<[string, unknown, object, string[]]>([
  ['equal lists', { total: 1, updates: [update] }, { total: 1, updates: [update] }, []],
  [
    'in another order',
    { updates: [update, { ...update, id: 'b' }] },
    { updates: [{ ...update, id: 'b' }, update] },
    [],
  ],
  ['another total', { total: 1, updates: [] }, { total: 2, updates: [] }, ['list.total value']],
  ['other ids', { updates: [update] }, { updates: [{ ...update, id: 'b' }] }, ['updates[].id value']],
  [
    'another status and a field less',
    { updates: [{ ...update, day: 'Today' }] },
    { updates: [{ ...update, status: 'sent' }] },
    ['updates[].day missing', 'updates[].status value'],
  ],
  [
    'other updates',
    { updates: [update] },
    { updates: [{ ...update, id: 'b', text: 'y' }] },
    ['updates[] added', 'updates[] missing'],
  ],
  ['no list', { error: 'x' }, { updates: [] }, ['updates type']],
  ['a list of nonsense', { updates: [null, 'x', 1] }, { updates: [] }, []],
])('%s', (_what, old, ours, differences) => {
  const found = compareUpdates(old, ours).map(({ field, difference }) => `${field} ${difference}`);
  expect(found.toSorted()).toEqual(differences);
});

const hostile = (id: number) =>
  Object.fromEntries(Array.from({ length: 90 }, (_, field) => [`f${id}x${field}`, 1]));

test('a hostile answer does not fill the table of differences', () => {
  const updates = Array.from({ length: 100 }, (_, id) => ({ ...hostile(id), id }));
  const ours = { updates: updates.map(({ id }) => ({ id })) };
  expect(compareUpdates({ updates }, ours)).toHaveLength(100);
});
