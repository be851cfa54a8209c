import {
  deleteToldPostsBefore,
  deleteUpdatesBefore,
  findLearnedUpdate,
  findToldPosts,
  findUpdatesOfPosts,
  keepSeenUpdates,
  keepToldPosts,
  pairUpdate,
  type NewLearnedUpdate,
} from '../../../src/store/posts/update-ids.ts';
import { FIRST_PIECE } from '../../../src/store/driver/pieces.ts';
import type { Database } from '../../../src/store/driver/store.ts';
import { plansOf } from '../support/plans.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** The ids of updates: rows of an account, the pairs once found, and what apps were told. */

const DAY = 86_400_000;
const NOW = 1_000 * DAY;

const row = (oldId: string, more: Partial<NewLearnedUpdate> = {}): NewLearnedUpdate => ({
  account_id: 'a1',
  old_id: oldId,
  profile_id: 'p1',
  text_digest: `k1.${oldId}`,
  due_at: NOW,
  seen_at: NOW,
  ...more,
});

const app = { clientId: 'c1', accountId: 'a1' };

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  const db = () => stores.one.durable;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
  });

  beforeEach(async () => {
    await db().deleteFrom('learned_updates').execute();
    await db().deleteFrom('told_posts').execute();
  });

  afterAll(() => stores.close());

  test('an equal row is not written again before a week, a changed one at once', async () => {
    await keepSeenUpdates(db(), [row('u1'), row('u2')]);
    await keepSeenUpdates(db(), [row('u1', { seen_at: NOW + DAY })]);
    expect(await findLearnedUpdate(db(), 'a1', 'u1')).toMatchObject({ seen_at: NOW });
    await keepSeenUpdates(db(), [row('u1', { seen_at: NOW + 8 * DAY })]);
    expect(await findLearnedUpdate(db(), 'a1', 'u1')).toMatchObject({ seen_at: NOW + 8 * DAY });
    await keepSeenUpdates(db(), [row('u2', { due_at: 5, seen_at: NOW + 1 })]);
    expect(await findLearnedUpdate(stores.two.durable, 'a1', 'u2')).toMatchObject({
      due_at: 5,
      seen_at: NOW + 1,
    });
  });

  test('a pair is kept once, and stays when the update is seen with another text', async () => {
    await keepSeenUpdates(db(), [row('u1')]);
    const learned = (await findLearnedUpdate(db(), 'a1', 'u1'))!;
    const pairs = ['x1', 'x2'].map((postId) => pairUpdate(db(), learned, { postId, now: NOW }));
    expect((await Promise.all(pairs)).filter(Boolean)).toHaveLength(1);
    const { post_id: postId } = (await findLearnedUpdate(db(), 'a1', 'u1'))!;
    expect(await pairUpdate(db(), learned, { postId: postId!, now: NOW })).toBe(true);
    await keepSeenUpdates(db(), [row('u1', { text_digest: 'k1.other' })]);
    expect(await findLearnedUpdate(db(), 'a1', 'u1')).toMatchObject({
      post_id: postId,
      text_digest: 'k1.other',
    });
  });

  test('updates of posts are found by either id or by text, in one account alone', async () => {
    await keepSeenUpdates(db(), [
      row('u1'),
      row('u2'),
      row('u3', { text_digest: 'k1.text' }),
      row('u4', { account_id: 'a2', text_digest: 'k1.text' }),
      row('u1', { account_id: 'a2' }),
    ]);
    const learned = (await findLearnedUpdate(db(), 'a1', 'u2'))!;
    await pairUpdate(db(), learned, { postId: 'x2', now: NOW });
    const of = { accountId: 'a1', postIds: ['u1', 'x2', 'x9'], digests: ['k1.text', 'k0.text'] };
    const found = (await findUpdatesOfPosts(db(), of)).map((one) => `${one.account_id} ${one.old_id}`);
    expect(found.toSorted()).toEqual(['a1 u1', 'a1 u2', 'a1 u3']);
    expect(await findLearnedUpdate(db(), 'a2', 'u3')).toBeUndefined();
  });

  test('what an app was told is not what another was told', async () => {
    await keepToldPosts(db(), app, { postIds: ['x1', 'x2'], now: NOW });
    await keepToldPosts(db(), app, { postIds: ['x1'], now: NOW + DAY });
    expect(await findToldPosts(db(), app, ['x1', 'x3'])).toEqual(new Set(['x1']));
    expect(await findToldPosts(db(), { ...app, clientId: 'c2' }, ['x1'])).toEqual(new Set());
    expect((await deleteToldPostsBefore(db(), NOW + 1, FIRST_PIECE)).count).toBe(2);
  });

  test('rows go once they were not seen, and not due, since a time', async () => {
    const old = { seen_at: NOW - DAY, due_at: NOW - DAY };
    await keepSeenUpdates(db(), [row('u1', old), row('u2', { ...old, due_at: NOW + DAY }), row('u3')]);
    expect((await deleteUpdatesBefore(db(), NOW)).count).toBe(1);
    expect(await findLearnedUpdate(db(), 'a1', 'u1')).toBeUndefined();
  });
});

test.each<[string, string[], (db: Database) => Promise<unknown>]>([
  [
    'the updates of posts are found',
    ['sqlite_autoindex_learned_updates_1', 'learned_updates_post', 'learned_updates_text'],
    (db) => findUpdatesOfPosts(db, { accountId: 'a1', postIds: ['x1', 'x2'], digests: ['k1.a', 'k0.a'] }),
  ],
  [
    'what an app was told is found',
    ['sqlite_autoindex_told_posts_1'],
    (db) => findToldPosts(db, app, ['x1']),
  ],
])('when %s, the plan reads nothing but indexes', async (_name, indexes, work) => {
  const stores = await openTwoStores('sqlite');
  try {
    const plans = (await plansOf(stores.one.durable, work)).join('\n');
    for (const index of indexes) expect(plans).toContain(`INDEX ${index} `);
    expect(plans).not.toMatch(/SCAN (?:learned_updates|told_posts)/);
  } finally {
    await stores.close();
  }
});
