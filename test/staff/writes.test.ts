import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { openBakery, type Bakery } from '../posts/support/bakery.ts';
import { CHANNELS } from '../posts/support/posts.ts';
import { queueOf } from '../posts/support/queue.ts';
import { findKeyUsage } from '../../src/store/keys/key-usage.ts';
import { keyIdOf } from '../../src/shared/secrets.ts';
import { browserOf, DANA } from '../owners/support/people.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** Support sees what a token wrote through the new API: when, which call, with which outcome; never what a post says. */

let bakery: Bakery;
let sam: CookieWalker;

beforeAll(async () => {
  bakery = await openBakery();
  await browserOf(bakery.system, DANA);
  sam = await staffBrowser(bakery.system, 'reader');
});

afterAll(() => bakery.system.stop());

const mappingId = async () => (await bakery.rows())[0]?.mapping_id;

test('the page of a token tells its writes, the newest first', async () => {
  const made = await bakery.create('A text that support must not read');
  await bakery.create('refused', [CHANNELS.disconnected]);
  bakery.cutBefore(1);
  await bakery.create('lost');
  bakery.mend();
  const page = await sam.get(`${bakery.system.bridgeUrl}/support/mappings/${await mappingId()}`);
  const [, posts = ''] = page.body.split('<h2>Posts</h2>');
  const outcomes = [...posts.matchAll(/<span class="badge [a-z]*">([^<]*)<\/span>/g)].map(
    ([, label]) => label,
  );
  expect(outcomes.slice(0, 3)).toEqual(['in doubt: it may have been done', 'refused', 'done']);
  expect(posts).toContain('the profile does not allow it');
  expect(posts).toContain(made.json.updates?.[0]?.id);
  expect(page.body).not.toContain('support must not read');
});

test('each move of a reorder and of a shuffle is a write of its own', async () => {
  const queue = queueOf(bakery);
  const [first = '', second = ''] = await queue.fill(2);
  const order = [second, first].map((id): [string, string] => ['order[]', id]);
  const { durable } = bakery.system.bridge.context.store;
  await bakery.post(`profiles/${queue.channelId}/updates/reorder`, order);
  const before = (await bakery.rows()).length;
  while ((await bakery.rows()).length === before)
    await bakery.post(`profiles/${queue.channelId}/updates/shuffle`);
  const page = await sam.get(`${bakery.system.bridgeUrl}/support/mappings/${await mappingId()}`);
  expect(page.body).toContain('post moved by a reorder');
  expect(page.body).toContain('post moved by a shuffle');
  await durable.deleteFrom('post_writes').where('call', 'in', ['reorder', 'shuffle']).execute();
});

test('of many writes the page says which it shows, and leaves none out that is in doubt', async () => {
  const { durable } = bakery.system.bridge.context.store;
  const made = await bakery.create('deleted soon');
  const postId = made.json.updates?.[0]?.id ?? '';
  await bakery.post(`updates/${postId}/destroy`);
  const rows = await bakery.rows();
  const [old] = rows;
  if (!old) throw new Error('nothing was written');
  const copies = Array.from({ length: 60 }, (_, i) => ({
    ...old,
    id: `copy ${i}`,
    post_id: null,
    content_digest: null,
    state: i === 0 ? ('in_doubt' as const) : ('refused' as const),
    sent_at: old.sent_at - 1000 * (61 - i),
  }));
  await durable.insertInto('post_writes').values(copies).execute();
  const page = await sam.get(`${bakery.system.bridgeUrl}/support/mappings/${await mappingId()}`);
  const [, posts = ''] = page.body.split('<h2>Posts</h2>');
  expect(posts).toContain(
    `These are the newest 50 of ${rows.length + 60}, and the older ones in doubt. The request id stands in the log`,
  );
  expect([...posts.matchAll(/<tr>/g)].length).toBe(1 + 50 + 1);
  const deletion = posts.slice(
    posts.indexOf('post deleted'),
    posts.indexOf('</tr>', posts.indexOf('post deleted')),
  );
  expect(deletion).toContain(CHANNELS.twitter);
  await durable.deleteFrom('post_writes').where('id', 'like', 'copy %').execute();
});

test('a token that wrote nothing says so', async () => {
  const { durable } = bakery.system.bridge.context.store;
  const id = await mappingId();
  await durable.deleteFrom('post_writes').execute();
  const page = await sam.get(`${bakery.system.bridgeUrl}/support/mappings/${id}`);
  expect(page.body).toContain('wrote nothing through the new API');
});

test('a key that a write in doubt is known by is not dropped', async () => {
  bakery.cutBefore(1);
  await bakery.create('lost again');
  bakery.mend();
  const { store, clock } = bakery.system.bridge.context;
  const id = keyIdOf((await bakery.rows()).at(-1)?.content_digest ?? '');
  const question = { purpose: 'digest', id, now: clock.now(), store } as const;
  expect(await findKeyUsage(store.durable, question)).toContainEqual({ what: 'writes in doubt', count: 1 });
});
