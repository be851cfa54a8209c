import { gzipSync } from 'node:zlib';
import { setDateOf } from '../../../src/domain/lifecycle/changes/set-date.ts';
import { purgeExpired } from '../../../src/domain/purge-expired.ts';
import { until } from '../../support/servers/held-answer.ts';
import { CHANNEL, connectReader, isoIn, type Listed } from '../support/reader.ts';
import {
  account,
  answeredBy,
  clock,
  DAY,
  door,
  durable,
  JSON_TYPE,
  learn,
  learned,
  makePost,
  old,
  oldOf,
  type OldUpdate,
  pendingIds,
  reader,
  told,
  untilLearned,
  withTwoGenerations,
} from '../support/two-generations.ts';

/** Which answers of the old API teach the ids of updates, what is kept of them, and for how long. */

withTwoGenerations();

const PENDING = `/1/profiles/${CHANNEL}/updates/pending.json`;

const answerWith = (body: string | Buffer, headers: string[] = []) =>
  old.setBehaviour({ status: 200, headers: [...JSON_TYPE, ...headers], body, path: PENDING });

/** Of any two answers the later one is read later. */
async function untilRead(): Promise<void> {
  await old.setBehaviour('normal');
  await learn(oldOf(await makePost()));
}

test('go back as they came, packed ones too', async () => {
  const shown = oldOf(await makePost());
  const body = gzipSync(JSON.stringify({ total: 1, updates: [shown] }));
  await answerWith(body, ['Content-Encoding', 'gzip']);
  const answer = await reader.get(PENDING);
  expect([answer.status, answer.text]).toEqual([200, body.toString()]);
  await untilLearned(shown);
});

test.each<[string, (shown: OldUpdate) => string]>([
  ['is too long', (shown) => JSON.stringify({ updates: [shown], more: 'x'.repeat(256 * 1024) })],
  ['is no JSON', (shown) => `<html>${JSON.stringify(shown)}`],
  ['is cut', (shown) => JSON.stringify({ updates: [shown] }).slice(0, -3)],
  ['has no object', () => '[[[null]]]'],
  ['has ids of another form', (shown) => JSON.stringify({ updates: [{ ...shown, id: '../x' }] })],
  ['has no time', (shown) => JSON.stringify({ updates: [{ ...shown, due_at: null }] })],
  ['has a wrong time', (shown) => JSON.stringify({ updates: [{ ...shown, due_at: 1e300 }] })],
])('one that %s teaches nothing and goes back as it came', async (_what, bodyOf) => {
  const shown = oldOf(await makePost());
  const body = bodyOf(shown);
  await answerWith(body);
  expect((await reader.get(PENDING)).text).toBe(body);
  await untilRead();
  expect((await learned()).map((row) => row.old_id)).not.toContain(shown.id);
});

test('what cannot be read leaves out nothing else', async () => {
  const shown = oldOf(await makePost());
  await answerWith(JSON.stringify({ updates: [null, 'x', { id: 1 }, shown] }));
  await reader.get(PENDING);
  await untilLearned(shown);
});

test('the same answer again writes nothing, and a changed update is known by its change', async () => {
  const real = await makePost();
  const shown = oldOf(real);
  await learn(shown);
  const [before] = await learned();
  const later = { ...shown, text: 'Changed there' };
  account.updates = [later];
  clock.advance(1000);
  await reader.list('pending.json');
  await until(async () => (await learned())[0]?.text_digest !== before?.text_digest);
  const rows = await learned();
  await reader.list('pending.json');
  await untilRead();
  expect((await learned()).filter((row) => row.old_id === shown.id)).toEqual(rows);
});

test('keep no text, and nothing that is equal for two accounts', async () => {
  const real = await makePost({ text: 'A most private sentence' });
  await learn(oldOf(real));
  await answeredBy('new');
  await pendingIds();
  const rows = JSON.stringify([await learned(), await told()]);
  expect(rows).not.toContain('private');
  const { vault } = door.bridge.context;
  expect(rows).not.toContain(vault.digest(real.text));
});

test('a list of a token that waits, or that the bridge issued, teaches nothing', async () => {
  const shown = oldOf(await makePost());
  account.updates = [shown];
  const issued = await connectReader(door);
  account.tokens.push(issued.token);
  expect(((await issued.get(PENDING)).json as Listed).updates.map(({ id }) => id)).not.toContain(shown.id);
  await untilRead();
  expect((await learned()).filter((row) => row.old_id === shown.id).length).toBeLessThanOrEqual(1);
});

test('ids that are not used are forgotten after 180 days, and those that are due later or were used are not', async () => {
  const [used, unused] = [await makePost(), await makePost()];
  const shown = [used, unused].map((real) => oldOf(real));
  const late = oldOf({ id: '', text: 'In a year', dueAt: isoIn(360 * DAY) });
  await learn(...shown, late);
  await answeredBy('new');
  await pendingIds();
  const toldBefore = (await told()).length;
  await durable()
    .updateTable('learned_updates')
    .set((eb) => ({ seen_at: eb('seen_at', '-', 181 * DAY) }))
    .where('old_id', '<>', shown[0]!.id)
    .execute();
  await durable()
    .updateTable('learned_updates')
    .set({ due_at: 1 })
    .where('due_at', '<', clock.now() + 359 * DAY)
    .execute();
  await purgeExpired(door.bridge.context);
  expect((await learned()).map((row) => row.old_id).toSorted()).toEqual([shown[0]!.id, late.id].toSorted());
  expect(await told()).toHaveLength(toldBefore);
  await durable().updateTable('told_posts').set({ told_at: 1 }).execute();
  await purgeExpired(door.bridge.context);
  expect(await told()).toEqual([]);
});

const setRetirement = (at: number | undefined) =>
  setDateOf(door.bridge.context, {
    name: 'retirement',
    at,
    actor: 'test',
    reason: 'test',
    isForced: true,
  });

describe('after the retirement', () => {
  afterEach(() => setRetirement(undefined));

  test('an app that was told the new id first, and still reads the post, keeps that id for good', async () => {
    const real = await makePost({ dueAt: isoIn(500 * DAY) });
    await answeredBy('new');
    expect(await pendingIds()).toContain(real.id);
    await answeredBy('old');
    await learn(oldOf(real));
    await answeredBy('new');
    await setRetirement(clock.now());
    // The update stays known, as where another app reads the post by its old id.
    for (let days = 0; days < 200; days += 50) {
      clock.advance(50 * DAY);
      await durable().updateTable('learned_updates').set({ seen_at: clock.now() }).execute();
      await purgeExpired(door.bridge.context);
      expect(await pendingIds()).toContain(real.id);
    }
  });

  test('an id that was told to no app is not kept, since no other can appear', async () => {
    await learn(oldOf(await makePost()));
    await setRetirement(clock.now());
    await answeredBy('new');
    const real = await makePost({ text: 'A later post' });
    expect(await pendingIds()).toContain(real.id);
    expect(await told()).toEqual([]);
  });
});
