import { describeShadow } from '../../../src/domain/reads/shadow.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import type { Door } from '../../endpoints/support/door.ts';
import { knock } from '../../endpoints/support/knock.ts';
import { CHANNEL, isoIn, type Reader } from '../../posts/support/reader.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { until } from '../../support/servers/held-answer.ts';
import type { OldAccount, OldBackend } from '../../support/servers/old-backend.ts';
import { rawForm } from '../../support/callers/raw-request.ts';
import {
  DAY,
  headersOf,
  PENDING,
  type ShadowedReader,
  startShadowedReader,
} from '../support/shadowed-reader.ts';

/** LEGACY_SHADOW: of the reads that the old API answers connected tokens, a share is asked of the new API too. */

const LIST = '/1/profiles/:id/updates/pending.json';

let shadowed: ShadowedReader;
let old: OldBackend;
let door: Door;
let reader: Reader;
let account: OldAccount;

const volatile = () => shadowed.volatile();
const counted = () => describeShadow(door.bridge.context);

beforeAll(async () => {
  shadowed = await startShadowedReader();
  ({ old, door, reader, account } = shadowed);
});

afterAll(() => shadowed.stop());

beforeEach(() => shadowed.reset());

/** Reads until this many were compared, or could not be. */
async function readUntil(path: string, isEnough: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    await shadowed.passMany(5, path);
    return isEnough();
  });
}

const isCompared = async () => (await counted()).compared > 0;

async function differencesAt(endpoint: string): Promise<string[]> {
  const { differences } = await counted();
  return differences
    .filter((row) => row.endpoint === endpoint)
    .map(({ field, difference }) => `${field} ${difference}`)
    .toSorted();
}

let made = 0;

/** A post, and what the old API shows of it, as a test of differences needs it. */
async function postAndOld(id: string) {
  made += 1;
  const dueAt = isoIn((300 + made) * DAY);
  const text = `A private text ${id}`;
  const postId = await reader.create({ mode: 'customScheduled', dueAt, text });
  const due = Math.floor(Date.parse(dueAt) / 1000);
  return { postId, update: { id, profile_id: CHANNEL, status: 'buffer', text, due_at: due } };
}

test('a list is compared by its fields, with no value, whatever the ids', async () => {
  const { update } = await postAndOld(newHexId());
  account.updates = [{ ...update, service_update_id: '1' } as typeof update];
  await readUntil(PENDING, isFound(LIST, 'updates[].id value'));
  const found = await differencesAt(LIST);
  expect(found).toEqual(
    expect.arrayContaining(['updates[].id value', 'updates[].service_update_id missing']),
  );
  expect(found).not.toContain('updates[].text value');
  expect(found).not.toContain('updates[].due_at value');
  expect(JSON.stringify(await counted())).not.toContain('private');
});

const isFound = (endpoint: string, difference: string) => async () =>
  (await differencesAt(endpoint)).includes(difference);

test('one update and the posting times are compared', async () => {
  const { postId, update } = await postAndOld(newHexId());
  const there = { ...update, id: postId, text: 'Another private text' };
  const onlyThere = { ...update, id: newHexId(), text: 'Only there' };
  account.updates = [there, onlyThere];
  const one = '/1/updates/:id.json';
  await readUntil(`/1/updates/${there.id}.json`, isFound(one, 'update.text value'));
  await readUntil(`/1/updates/${onlyThere.id}.json`, isFound(one, 'update missing'));
  const path = `/1/profiles/${CHANNEL}/schedules.json`;
  const body = '{"no":"list"}';
  await old.setBehaviour({ status: 200, headers: ['Content-Type', 'application/json'], body, path });
  await readUntil(path, isFound('/1/profiles/:id/schedules.json', 'schedules type'));
  await old.setBehaviour('normal');
});

test('a comparison tells nobody an id', async () => {
  const { update } = await postAndOld(newHexId());
  account.updates = [update];
  await readUntil(PENDING, isCompared);
  expect(await door.bridge.context.store.durable.selectFrom('told_posts').selectAll().execute()).toEqual([]);
});

test('the new API is away: no caller notices, and it is counted', async () => {
  door.proxy.onOtherAnswer = () => ({ status: 502, headers: {}, body: Buffer.from('') });
  await readUntil(PENDING, async () => (await counted()).notAnswered > 0);
});

test('no call that writes is compared, nor a further page', async () => {
  const asked = await reader.asked(async () => {
    for (let call = 0; call < 60; call += 1) {
      const form = rawForm('text=x', { authorization: `Bearer ${reader.token}` });
      await knock(door, { method: 'POST', path: '/1/updates/create.json', ...form });
      await knock(door, { method: 'POST', path: PENDING, ...form });
      await reader.get(`${PENDING}?page=2`);
    }
  });
  expect(asked).toEqual([]);
  expect(old.seen('POST', '/1/updates/create.json').length).toBeGreaterThanOrEqual(60);
});

test('no read with a body is compared, which may name a further page', async () => {
  const headers = { authorization: `Bearer ${reader.token}` };
  const bodies = [
    rawForm('page=6&count=100', headers),
    { headers: { ...headers, 'content-type': 'application/json' }, body: '{"page":"6"}' },
    { headers: { ...headers, 'content-type': 'text/plain' }, body: 'page=6' },
  ];
  const asked = await reader.asked(async () => {
    for (let call = 0; call < 60; call += 1)
      for (const content of bodies) await knock(door, { path: PENDING, ...content });
  });
  expect(asked).toEqual([]);
  expect(await volatile().selectFrom('shadow_requests').selectAll().execute()).toEqual([]);
});

test('a pause is kept', async () => {
  door.proxy.onOtherAnswer = (_call, answer: Answer) => ({ ...answer, headers: headersOf([[0, 100, 900]]) });
  await reader.get('/1/profiles.json');
  await door.bridge.untilShared();
  expect(await reader.asked(() => shadowed.passMany(100))).toEqual([]);
});
