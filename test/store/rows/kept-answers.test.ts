import { sql } from 'kysely';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { dropAnswer, findAnswer, storeAnswer } from '../../../src/store/grants/answers.ts';
import { openStore } from '../../../src/store/driver/open-store.ts';
import { volatileFileOf } from '../../../src/store/driver/sqlite.ts';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** Answers that are kept at one time: on SQLite they are committed together. */

const answer = (body: string) => ({ body, organization_ids: '[]', fetched_at: 1 });

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
  });

  afterAll(() => stores.close());

  const bodyOf = async (grantId: string) => (await findAnswer(stores.two, grantId))?.body;

  test('each of many answers is there once its keeping is over, and the last one of a grant counts', async () => {
    const ids = Array.from({ length: 20 }, (_, number) => `many-${number}`);
    await Promise.all(ids.map((id) => storeAnswer(stores.one, id, answer(id))));
    expect(await Promise.all(ids.map(bodyOf))).toEqual(ids);
    for (const body of ['first', 'last']) await storeAnswer(stores.one, 'many-0', answer(body));
    expect(await bodyOf('many-0')).toBe('last');
  });

  test('other work that is undone takes no answer with it', async () => {
    const undone = stores.one.volatile.transaction().execute(async (tx) => {
      await sql`delete from answers`.execute(tx);
      // The answer comes while the transaction is open.
      const kept = storeAnswer(stores.one, 'beside', answer('stays'));
      await delay(50);
      void kept.catch(() => undefined);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await storeAnswer(stores.one, 'after', answer('too'));
    expect(await Promise.all(['beside', 'after', 'many-0'].map(bodyOf))).toEqual(['stays', 'too', 'last']);
  });

  test('an answer that cannot be kept takes no other with it', async () => {
    const broken = storeAnswer(stores.one, 'broken', { ...answer('broken'), fetched_at: null as never });
    const kept = ['one', 'two'].map((id) => storeAnswer(stores.one, id, answer(id)));
    await expect(broken).rejects.toThrow(/null/i);
    await Promise.all(kept);
    expect(await Promise.all(['one', 'two', 'broken'].map(bodyOf))).toEqual(['one', 'two', undefined]);
  });
});

test('on sqlite the answers of one turn of the event loop are written at one time', async () => {
  const stores = await openTwoStores('sqlite');
  let ran = 0;
  const store = await openStore(stores.location, { waited: () => undefined, ran: () => (ran += 1) });
  await Promise.all(['a', 'b', 'c'].map((id) => storeAnswer(store, id, answer(id))));
  expect([ran, (await findAnswer(store, 'c'))?.body]).toEqual([1, 'c']);
  await store.close();
  await stores.close();
});

test('on sqlite answers and what forgets them are written in the order in which they came', async () => {
  const stores = await openTwoStores('sqlite');
  const { one } = stores;
  await Promise.all(['first', 'last'].map((body) => storeAnswer(one, 'kept', answer(body))));
  expect((await findAnswer(one, 'kept'))?.body).toBe('last');
  await Promise.all([storeAnswer(one, 'ended', answer('late')), dropAnswer(one, 'ended')]);
  expect(await findAnswer(one, 'ended')).toBeUndefined();
  await stores.close();
});

test('on sqlite an answer waits for the lock of another process', async () => {
  const stores = await openTwoStores('sqlite');
  const { location, one, two } = stores;
  if (location.kind !== 'sqlite') throw new Error('not on SQLite');
  const other = new Sqlite(volatileFileOf(location.file));
  other.exec('begin immediate');
  let isKept = false;
  const kept = storeAnswer(one, 'late', answer('late')).then(() => (isKept = true));
  await delay(100);
  expect(isKept).toBe(false);
  other.exec('commit');
  await kept;
  expect((await findAnswer(two, 'late'))?.body).toBe('late');
  other.close();
  await stores.close();
});

test('on sqlite an answer that waited for the lock of another process does not come back either', async () => {
  const stores = await openTwoStores('sqlite');
  const { location, one } = stores;
  if (location.kind !== 'sqlite') throw new Error('not on SQLite');
  const other = new Sqlite(volatileFileOf(location.file));
  other.exec('begin immediate');
  const kept = storeAnswer(one, 'ended', answer('late'));
  // Its turn ended at the lock, and it waits by itself.
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  other.exec('commit');
  await dropAnswer(one, 'ended');
  await kept;
  expect(await findAnswer(one, 'ended')).toBeUndefined();
  other.close();
  await stores.close();
});
