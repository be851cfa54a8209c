import { setTimeout as delay } from 'node:timers/promises';
import { dropAnswer, storeAnswer } from '../../../src/store/grants/answers.ts';
import {
  dropPostAnswers,
  dropPostAnswersBefore,
  forgetLengths,
  changeLength,
  storePostAnswer,
} from '../../../src/store/posts/post-answers.ts';
import { keepToldList } from '../../../src/store/posts/told-lists.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** A text that was made of two answers never outlives either. */

const WHAT = 'pending channel';
const answer = (fetched_at: number) => ({ body: '{}', organization_ids: '[]', fetched_at });
const list = (fetched_at: number, length: number | null = 3) => ({ body: '{}', length, fetched_at });

const TEXT = {
  list: 'pending profile',
  accountAt: 10,
  modernClientId: 'client',
  fetchedAt: 10,
  validFrom: 0,
  validUntil: 4_000_000_000_000,
  key: 'key',
  text: '{}',
} as const;

describe.each(databaseKinds)('on %s a kept text of a list', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
  });

  afterAll(() => stores.close());

  /** Both answers of a grant, read at 10. */
  async function begin(grantId: string): Promise<void> {
    await storeAnswer(stores.one, grantId, answer(10));
    await storePostAnswer(stores.one, { grantId, what: WHAT }, list(10));
  }

  const keep = (grantId: string, was: { listAt?: number; length?: number | null; accountAt?: number } = {}) =>
    keepToldList(stores.two, {
      ...TEXT,
      answer: { grantId, what: WHAT, fetchedAt: was.listAt ?? 10, length: was.length ?? 3 },
      accountAt: was.accountAt ?? 10,
    });

  const textsOf = async (grantId: string) => {
    const texts = stores.one.volatile.selectFrom('told_lists').select('id');
    return (await texts.where('grant_id', '=', grantId).execute()).map(({ id }) => id);
  };

  const CHANGES: Array<[what: string, change: (grantId: string) => Promise<unknown>]> = [
    ['the list is read again', (grantId) => storePostAnswer(stores.one, { grantId, what: WHAT }, list(11))],
    [
      'a post is added to its length',
      (grantId) => changeLength(stores.one, { grantId, what: WHAT }, { by: 1, writtenAt: 10 }),
    ],
    ['its length is forgotten', (grantId) => forgetLengths(stores.one, grantId, [WHAT])],
    ['the lists of the grant are dropped', (grantId) => dropPostAnswers(stores.one, grantId)],
    ['old lists are dropped', () => dropPostAnswersBefore(stores.one, 11)],
    ['the account is read again', (grantId) => storeAnswer(stores.one, grantId, answer(11))],
    ['the account is dropped', (grantId) => dropAnswer(stores.one, grantId)],
  ];

  test.each(CHANGES)('goes when %s', async (what, change) => {
    const grantId = `goes ${what}`;
    await begin(grantId);
    await keep(grantId);
    expect(await textsOf(grantId)).toEqual([`${grantId} pending profile`]);
    await change(grantId);
    expect(await textsOf(grantId)).toEqual([]);
  });

  test('stays when another list is read, or the account of another grant', async () => {
    await begin('stays');
    await keep('stays');
    await storePostAnswer(stores.one, { grantId: 'stays', what: 'sent channel' }, list(11));
    await storeAnswer(stores.one, 'another', answer(11));
    expect(await textsOf('stays')).toHaveLength(1);
  });

  test('is not kept for answers that are others by now', async () => {
    await begin('late');
    await keep('late', { listAt: 9 });
    await keep('late', { length: 4 });
    await keep('late', { accountAt: 9 });
    await keep('unknown');
    expect([await textsOf('late'), await textsOf('unknown')]).toEqual([[], []]);
    await keep('late');
    await keep('late');
    expect(await textsOf('late')).toHaveLength(1);
  });

  test.each<[string, (tx: TwoStores['one']['volatile'], grantId: string) => Promise<unknown>]>([
    [
      'a list',
      (tx, grantId) =>
        tx.updateTable('post_answers').set({ fetched_at: 11 }).where('grant_id', '=', grantId).execute(),
    ],
    [
      'an account',
      (tx, grantId) => tx.updateTable('answers').set(answer(11)).where('grant_id', '=', grantId).execute(),
    ],
  ])('is not kept beside %s that another process replaces at the same time', async (what, replace) => {
    const grantId = `raced ${what}`;
    await begin(grantId);
    const keeping = await stores.one.volatile.transaction().execute(async (tx) => {
      await replace(tx, grantId);
      const kept = keep(grantId);
      // Time enough for a text that would not wait.
      await Promise.race([kept, delay(300)]);
      return { kept };
    });
    await keeping.kept;
    expect(await textsOf(grantId)).toEqual([]);
  });

  test('many go at once, by their lists and by their account, and neither waits for the other for ever', async () => {
    // The rows of the lists stand in the reverse of the order of their texts.
    const lists = Array.from({ length: 9 }, (_, n) => `pending ${9 - n}` as const);
    await storeAnswer(stores.one, 'many', answer(10));
    for (const what of lists) {
      await storePostAnswer(stores.one, { grantId: 'many', what }, list(10));
      const kept = { grantId: 'many', what, fetchedAt: 10, length: 3 };
      await keepToldList(stores.two, { ...TEXT, list: what, answer: kept });
    }
    expect(await textsOf('many')).toHaveLength(lists.length);
    // Both wait for a text in the middle, with those that they have dropped before.
    const { gone } = await stores.one.volatile.transaction().execute(async (tx) => {
      await tx.updateTable('told_lists').set({ key: 'held' }).where('id', '=', 'many pending 5').execute();
      const dropping = [
        forgetLengths(stores.two, 'many', undefined),
        storeAnswer(stores.two, 'many', answer(11)),
      ];
      await Promise.race([...dropping, delay(500)]);
      return { gone: Promise.all(dropping) };
    });
    await gone;
    expect(await textsOf('many')).toEqual([]);
  });
});
