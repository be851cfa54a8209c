import { insertGrant } from '../../../src/store/grants/grants.ts';
import { markCopy, readInstance } from '../../../src/store/instance/instance.ts';
import { insertMapping } from '../../../src/store/tokens/mappings.ts';
import { FIRST_PIECE } from '../../../src/store/driver/pieces.ts';
import type { NewPostWrite } from '../../../src/store/tables/posts.ts';
import {
  beginWrite,
  claimLook,
  countEqualWrites,
  deleteWritesBefore,
  doubtWrite,
  endWrite,
  findWrite,
  listOpenWrites,
  listWritesOf,
  settleWrite,
  withoutWriter,
} from '../../../src/store/posts/write-journal.ts';
import { ACCOUNT, APP, grantRow, keepAppAndAccount } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** The journal of writes: each step is won once, and a post is one create's. */

const NOW = 1_000_000;

const row = (id: string, more: Partial<NewPostWrite> = {}): NewPostWrite => ({
  id,
  mapping_id: 'm1',
  account_id: ACCOUNT,
  modern_client_id: 'client',
  call: 'create',
  content_digest: 'k1.same',
  sent_at: NOW,
  ...more,
});

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    const { durable } = stores.one;
    await keepAppAndAccount(durable);
    await insertGrant(durable, grantRow('g1'));
    await insertMapping(durable, {
      id: 'm1',
      token_digest: 'digest of m1',
      client_id: APP,
      account_id: ACCOUNT,
      grant_id: 'g1',
      state: 'active',
      source: 'issued',
      created_at: NOW,
      updated_at: NOW,
    });
  });

  beforeEach(() => stores.one.durable.deleteFrom('post_writes').execute());

  afterAll(() => stores.close());

  const begin = async (id: string, more: Partial<NewPostWrite> = {}) => {
    const { durable } = stores.one;
    return beginWrite(durable, row(id, more), await readInstance(durable));
  };

  const stateOf = async (id: string) => (await findWrite(stores.two.durable, id))?.state;

  test('a row is there for others as soon as it was begun, and its end is kept however late it comes', async () => {
    expect(await begin('w1')).toBe(true);
    expect(await stateOf('w1')).toBe('sending');
    await doubtWrite(stores.one.durable, 'w1', NOW + 1);
    expect(await claimLook(stores.two.durable, { id: 'w1', looks: 0 }, NOW + 2)).toBe(true);
    expect(await settleWrite(stores.two.durable, 'w1', { state: 'not_found', now: NOW })).toBe(true);
    await stores.one.transaction((tx) => endWrite(tx, 'w1', { state: 'done', madePostId: 'p1', now: NOW }));
    expect(await findWrite(stores.two.durable, 'w1')).toMatchObject({ state: 'done', post_id: 'p1' });
  });

  test('of many looks at one write one is claimed', async () => {
    await begin('w1');
    const claims = [stores.one, stores.two, stores.one, stores.two].map(({ durable }) =>
      claimLook(durable, { id: 'w1', looks: 0 }, NOW + 1),
    );
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    expect(await findWrite(stores.one.durable, 'w1')).toMatchObject({ state: 'in_doubt', looks: 1 });
  });

  test('equal writes are counted while they have no outcome, and a post is one create’s', async () => {
    const { durable } = stores.one;
    await begin('w1');
    await begin('w2');
    await begin('w3', { content_digest: 'k1.other' });
    expect(await countEqualWrites(durable, ['k1.same', 'k0.same'], NOW)).toBe(2);
    await claimLook(durable, { id: 'w1', looks: 0 }, NOW);
    await settleWrite(durable, 'w1', { state: 'found', postId: 'p1', now: NOW });
    expect(await countEqualWrites(durable, ['k1.same'], NOW)).toBe(1);
    expect(await countEqualWrites(durable, ['k1.same'], NOW + 1)).toBe(0);
    expect(await withoutWriter(durable, ['p1', 'p2'])).toEqual(['p2']);
    await claimLook(durable, { id: 'w2', looks: 0 }, NOW);
    await expect(settleWrite(durable, 'w2', { state: 'found', postId: 'p1', now: NOW })).rejects.toThrow();
  });

  test('an answer takes its post back from a create that had found it', async () => {
    const { durable } = stores.one;
    await begin('w1');
    await begin('w2');
    await claimLook(durable, { id: 'w1', looks: 0 }, NOW);
    await settleWrite(durable, 'w1', { state: 'found', postId: 'p1', now: NOW });
    await stores.two.transaction((tx) => endWrite(tx, 'w2', { state: 'done', madePostId: 'p1', now: NOW }));
    expect(await findWrite(durable, 'w1')).toMatchObject({
      state: 'in_doubt',
      post_id: null,
      next_look_at: NOW,
    });
    expect(await findWrite(durable, 'w2')).toMatchObject({ state: 'done', post_id: 'p1' });
  });

  test('a refusal does not take back what was found', async () => {
    const { durable } = stores.one;
    await begin('w1');
    await claimLook(durable, { id: 'w1', looks: 0 }, NOW);
    await settleWrite(durable, 'w1', { state: 'found', postId: 'p1', now: NOW });
    await stores.two.transaction((tx) =>
      endWrite(tx, 'w1', { state: 'refused', refusal: 'UnexpectedError', now: NOW }),
    );
    expect(await findWrite(durable, 'w1')).toMatchObject({ state: 'found', post_id: 'p1', refusal: null });
  });

  test('two creates that are answered with one post both stay done, and the post is the first one’s', async () => {
    await begin('w1');
    await begin('w2');
    for (const id of ['w1', 'w2'])
      await stores.one.transaction((tx) => endWrite(tx, id, { state: 'done', madePostId: 'p1', now: NOW }));
    expect(await findWrite(stores.one.durable, 'w1')).toMatchObject({ state: 'done', post_id: 'p1' });
    expect(await findWrite(stores.one.durable, 'w2')).toMatchObject({ state: 'done', post_id: null });
  });

  test('open writes are those whose time has come, and those of processes that died', async () => {
    const { durable } = stores.one;
    await begin('old', { sent_at: NOW - 100 });
    await begin('young', { sent_at: NOW });
    await begin('due', { sent_at: NOW });
    await begin('later', { sent_at: NOW });
    await doubtWrite(durable, 'due', NOW);
    await doubtWrite(durable, 'later', NOW + 1);
    const open = await listOpenWrites(durable, { now: NOW, abandonedBefore: NOW - 50, limit: 10 });
    expect(open.map(({ id }) => id)).toEqual(['old', 'due']);
  });

  test('the writes of a token come newest first, and old ones are removed', async () => {
    const { durable } = stores.one;
    await begin('w1', { sent_at: NOW - 10 });
    await begin('w2', { sent_at: NOW });
    expect((await listWritesOf(durable, 'm1', 5)).writes.map(({ id }) => id)).toEqual(['w2', 'w1']);
    await deleteWritesBefore(durable, NOW, FIRST_PIECE);
    expect((await listWritesOf(durable, 'm1', 5)).writes.map(({ id }) => id)).toEqual(['w2']);
  });

  test('on a copy nothing is begun', async () => {
    const { durable } = stores.one;
    const seen = await readInstance(durable);
    await markCopy(stores.two.durable, seen);
    expect(await beginWrite(durable, row('w1'), seen)).toBe(false);
    expect(await stateOf('w1')).toBeUndefined();
  });
});
