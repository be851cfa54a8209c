import { notePostsChanged } from '../../../src/domain/posts/lists/post-cache.ts';
import { HOUR } from '../../../src/shared/lifetimes.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { samplesOf, sumOf } from '../../metrics/support/scrape.ts';
import { until } from '../../support/servers/held-answer.ts';
import { revokeOnlyToken, serveShortWay } from '../support/short-way.ts';

/**
 * The short way of the first page of a list (src/http/legacy/plain). A mark in the kept text shows which way a call
 * took: only the short way answers with the mark.
 */

const MARK = '{"kept":true}';

let system: System;
let token: string;
let profile: string;
let url: string;
let stop: () => void;

const volatile = () => system.bridge.context.store.volatile;

const bearer = () => ({ headers: { authorization: `Bearer ${token}` } });

const pathOf = (list = 'pending.json', id = profile) => `/1/profiles/${id}/updates/${list}`;

const call = (request: Partial<RawRequest> = {}) => sendRaw(url, { path: pathOf(), ...bearer(), ...request });

/** Reads until a text is kept, and marks the text. */
async function mark(request?: Partial<RawRequest>): Promise<void> {
  await volatile().deleteFrom('told_lists').execute();
  await until(async () => {
    await call(request);
    return (await volatile().selectFrom('told_lists').select('text').executeTakeFirst()) !== undefined;
  });
  await volatile().updateTable('told_lists').set({ text: MARK }).execute();
}

const takesShortWay = async (request?: Partial<RawRequest>) => (await call(request)).text === MARK;

beforeEach(async () => {
  system = await startSystem();
  token = await issueToken(system);
  const [first] = (await read(system, '/1/profiles.json', token)).json as Array<{ id: string }>;
  profile = first?.id ?? '';
  ({ url, stop } = await serveShortWay(system));
  await mark();
});

afterEach(async () => {
  stop();
  await system.stop();
});

test('a plain call takes the short way with its token in the header, the query or the body', async () => {
  const encoded = encodeURIComponent(token);
  expect(await takesShortWay()).toBe(true);
  expect(await takesShortWay({ path: `${pathOf()}?access_token=${encoded}`, headers: {} })).toBe(true);
  expect(await takesShortWay({ method: 'POST', ...rawForm(`access_token=${encoded}`) })).toBe(true);
  expect(await takesShortWay({ path: pathOf('pending') })).toBe(true);
  expect(await takesShortWay({ path: `${pathOf()}?page=1&count=20&filter=all&utc=0` })).toBe(true);
});

test('what a call asks for decides which text it gets', async () => {
  const inUtc = { path: `${pathOf()}?utc=true` };
  for (const path of [
    `${pathOf()}?count=3`,
    `${pathOf()}?page=2`,
    `${pathOf()}?since=1000`,
    `${pathOf()}?page=x`,
    `${pathOf()}?count=20&count=20`,
    inUtc.path,
    pathOf('sent.json'),
    pathOf('pending.xml'),
    pathOf('pending.json', '0123456789abcdef01234567'),
  ])
    expect({ path, isShort: await takesShortWay({ path }) }).toEqual({ path, isShort: false });
  await mark(inUtc);
  expect([await takesShortWay(), await takesShortWay(inUtc)]).toEqual([false, true]);
  expect([await takesShortWay(), await takesShortWay(inUtc)]).toEqual([false, true]);
  const form = { method: 'POST', ...rawForm(`access_token=${encodeURIComponent(token)}&utc=0`) };
  await mark(form);
  expect(await takesShortWay({ ...form, path: inUtc.path })).toBe(true);
});

test('a text is told for its own list alone', async () => {
  const sent = { path: pathOf('sent.json') };
  await until(async () => {
    await call(sent);
    return (await volatile().selectFrom('told_lists').select('id').execute()).length === 2;
  });
  expect((await call(sent)).json).toMatchObject({ updates: expect.any(Array) });
  expect(await takesShortWay()).toBe(true);
});

test('after a write the list is read anew', async () => {
  const [grant] = await volatile().selectFrom('answers').select('grant_id').execute();
  await notePostsChanged(system.bridge.context, grant?.grant_id ?? '');
  expect(await takesShortWay()).toBe(false);
  await mark();
  expect(await takesShortWay()).toBe(true);
  const changes = volatile().selectFrom('post_answers').select('fetched_at').where('id', 'like', '% changed');
  const { fetched_at: changedAt } = await changes.executeTakeFirstOrThrow();
  // A page that was read in the same millisecond may have been read before the change.
  await volatile().updateTable('told_lists').set({ fetched_at: changedAt }).execute();
  expect(await takesShortWay()).toBe(false);
});

test('a text is told on its own day alone, while it is fresh, and while its account is known', async () => {
  const { clock, settings } = system.bridge.context;
  const [from, until_] = [clock.now() - HOUR, clock.now() + HOUR];
  const table = () => volatile().updateTable('told_lists');
  const row = await volatile().selectFrom('told_lists').selectAll().executeTakeFirstOrThrow();
  expect(row.valid_until).toBeGreaterThan(clock.now());
  expect(row.valid_until - clock.now()).toBeLessThanOrEqual(HOUR);
  expect(row.valid_from).toBeLessThanOrEqual(clock.now());
  const shortWith = async (values: object) => {
    await table()
      .set({ ...row, text: MARK, valid_from: from, valid_until: until_, ...values })
      .execute();
    return takesShortWay();
  };
  expect(await shortWith({})).toBe(true);
  expect(await shortWith({ valid_until: clock.now() })).toBe(false);
  expect(await shortWith({ valid_from: clock.now() + HOUR })).toBe(false);
  expect(await shortWith({ fetched_at: clock.now() - settings.profilesFresh })).toBe(false);
  expect(await shortWith({ fetched_at: clock.now() + HOUR })).toBe(false);
  expect(await shortWith({ key: 'another' })).toBe(false);
  expect(await shortWith({})).toBe(true);
});

test('a revoked token is refused by the next call', async () => {
  expect(await takesShortWay()).toBe(true);
  await revokeOnlyToken(system);
  expect(await call()).toMatchObject({ status: 401 });
});

test('calls on the short way are counted, and count as usage, as those of the ordinary way', async () => {
  const endpoint = '/1/profiles/:id/updates/pending.json';
  const counted = async () => {
    await system.bridge.context.usage.flush();
    const rows = await volatile()
      .selectFrom('usage')
      .select('calls')
      .where('endpoint', '=', endpoint)
      .execute();
    const labels = { endpoint: 'pendingUpdates', outcome: 'answered', answered_by: 'new', carrier: 'header' };
    const { text } = await sendRaw(system.bridgeUrl, { path: '/metrics' });
    const calls = sumOf(samplesOf(text), 'grantbridge_calls_total', labels);
    return { calls, used: rows.reduce((sum, row) => sum + row.calls, 0) };
  };
  const before = await counted();
  expect(await takesShortWay()).toBe(true);
  expect(await takesShortWay()).toBe(true);
  const wanted = { calls: before.calls + 2, used: before.used + 2 };
  await until(async () => {
    const now = await counted();
    return now.calls >= wanted.calls && now.used >= wanted.used;
  }, 5000);
  expect(await counted()).toEqual(wanted);
});

test('a text of very long posts is not kept', async () => {
  const answers = volatile().selectFrom('post_answers').selectAll().where('id', 'like', '% pending %');
  const { id, body } = await answers.executeTakeFirstOrThrow();
  const kept = JSON.parse(body) as { pages: Array<{ posts: Array<{ text: string }> }> };
  const [post] = kept.pages[0]?.posts ?? [];
  if (!post) throw new Error('the list has no post');
  const keptAfter = async (length: number) => {
    post.text = 'x'.repeat(length);
    const row = volatile()
      .updateTable('post_answers')
      .set({ body: JSON.stringify(kept) });
    await row.where('id', '=', id).execute();
    for (let made = 0; made < 3; made += 1) expect((await call()).text.length).toBeGreaterThan(length);
    return (await volatile().selectFrom('told_lists').select('id').execute()).length;
  };
  expect([await keptAfter(300 * 1024), await keptAfter(1000)]).toEqual([0, 1]);
});
