import {
  countEqualWrites,
  endWrite,
  listOpenWrites,
  listWritesOf,
  withoutWriter,
} from '../../../../src/store/posts/write-journal.ts';
import type { Database } from '../../../../src/store/driver/store.ts';
import { plansOf } from '../../support/plans.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** What is asked of the journal of writes is found by its indexes, however many writes it has. */

const NOW = 10_000_000;

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
});

afterAll(() => stores.close());

const end = { state: 'done', madePostId: 'p1', now: NOW } as const;

const STATEMENTS: Array<[name: string, index: string, work: (db: Database) => Promise<unknown>]> = [
  [
    'open writes are listed',
    'post_writes_open',
    (db) => listOpenWrites(db, { now: NOW, abandonedBefore: NOW, limit: 100 }),
  ],
  ['equal writes are counted', 'post_writes_equal', (db) => countEqualWrites(db, ['k1.a', 'k0.a'], NOW)],
  ['posts are asked for their writes', 'post_writes_made', (db) => withoutWriter(db, ['p1', 'p2'])],
  ['an answer names its post', 'post_writes_made', (db) => endWrite(db, 'w1', end)],
  ['the writes of a token are listed', 'post_writes_of_token', (db) => listWritesOf(db, 'm1', 5)],
];

test.each(STATEMENTS)('when %s, the plan uses %s and reads nothing else', async (_name, index, work) => {
  const plans = await plansOf(stores.one.durable, work);
  const ofWrites = plans.filter((line) => line.includes('post_writes'));
  expect(ofWrites.some((line) => line.includes(`INDEX ${index} `) || line.endsWith(index))).toBe(true);
  expect(ofWrites.filter((line) => /AUTOMATIC|SCAN post_writes$/.test(line))).toEqual([]);
  expect(ofWrites.filter((line) => line.includes('post_writes_sent'))).toEqual([]);
});
