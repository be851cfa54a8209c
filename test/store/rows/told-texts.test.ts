import { setTimeout as delay } from 'node:timers/promises';
import { dropAnswer, storeAnswer } from '../../../src/store/grants/answers.ts';
import { keepToldText } from '../../../src/store/posts/told-texts.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** A text that was made of an answer never outlives the answer. */

const answer = (fetched_at: number) => ({ body: '{}', organization_ids: '[]', fetched_at });

const TABLES = ['told_profiles', 'told_users'] as const;

const cases = databaseKinds.flatMap((kind) => TABLES.map((table) => ({ kind, table })));

describe.each(cases)('on $kind a kept text in $table', ({ kind, table }) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
  });

  afterAll(() => stores.close());

  const keep = (grantId: string, fetchedAt: number) =>
    keepToldText(stores.two, table, {
      grantId,
      modernClientId: 'client',
      fetchedAt,
      text: '[]',
      key: 'key',
    });

  const textsOf = async (grantId: string) => {
    const texts = stores.one.volatile.selectFrom(table).select('fetched_at');
    return (await texts.where('grant_id', '=', grantId).execute()).map(({ fetched_at }) => fetched_at);
  };

  test('goes when its answer is replaced, and when its answer is dropped', async () => {
    await storeAnswer(stores.one, 'a', answer(1));
    await keep('a', 1);
    expect(await textsOf('a')).toEqual([1]);
    await storeAnswer(stores.one, 'a', answer(2));
    expect(await textsOf('a')).toEqual([]);
    await keep('a', 2);
    await dropAnswer(stores.one, 'a');
    expect(await textsOf('a')).toEqual([]);
  });

  test('is not kept for an answer that was replaced or dropped meanwhile', async () => {
    await storeAnswer(stores.one, 'b', answer(2));
    await keep('b', 1);
    await keep('unknown', 1);
    expect([await textsOf('b'), await textsOf('unknown')]).toEqual([[], []]);
  });

  test('replaces an earlier text of the same answer', async () => {
    await storeAnswer(stores.one, 'c', answer(1));
    await keep('c', 1);
    await keep('c', 1);
    expect(await textsOf('c')).toEqual([1]);
  });

  test('is not kept beside an answer that another process replaces at the same time', async () => {
    await storeAnswer(stores.one, 'd', answer(1));
    const keeping = await stores.one.volatile.transaction().execute(async (tx) => {
      await tx.updateTable('answers').set(answer(2)).where('grant_id', '=', 'd').execute();
      const kept = keep('d', 1);
      // Time enough for a text that would not wait.
      await Promise.race([kept, delay(300)]);
      return { kept };
    });
    await keeping.kept;
    expect(await textsOf('d')).toEqual([]);
  });
});
