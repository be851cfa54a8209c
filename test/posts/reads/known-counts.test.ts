import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { openStoreBreaker } from '../../support/database/store-breaker.ts';
import { isWrite } from '../support/bakery.ts';
import { connectReader, TWITTER, type Reader, CHANNEL } from '../support/reader.ts';

/** Numbers of the account and its profiles are what is known, or absent. The maps that hold numbers are always there. */

let door: Door;
let reader: Reader;

beforeAll(async () => {
  door = await openDoor();
  reader = await connectReader(door);
});

afterAll(() => door.stop());

interface Profile {
  id: string;
  counts: Record<string, number>;
  statistics: Record<string, number>;
}

async function profiles(): Promise<Profile[]> {
  const { status, json } = await reader.get('/1/profiles.json');
  expect(status).toBe(200);
  return json as Profile[];
}

const countsOf = async (id: string) => (await profiles()).find((profile) => profile.id === id)?.counts;

test('what nobody knows of an account is absent', async () => {
  const { json } = await reader.get('/1/user.json');
  for (const name of ['plan', 'activity_at']) expect(json).not.toHaveProperty(name);
});

test('a program that reads one level down finds no number where nobody knows one, and does not break', async () => {
  const { json } = await reader.get(`/1/profiles/${CHANNEL}.json`);
  for (const profile of [...(await profiles()), json as Profile]) {
    const { pending, sent } = profile.counts;
    expect([pending, sent, profile.statistics['followers']]).toEqual([undefined, undefined, undefined]);
    expect([profile.counts, profile.statistics]).toEqual([{}, {}]);
  }
});

test('counts are the totals of lists whose end was read, and cost no request of their own', async () => {
  const { total } = await reader.list('pending.json?count=100');
  expect(await reader.asked(async () => expect(await countsOf(CHANNEL)).toEqual({ pending: total }))).toEqual(
    [],
  );
  expect(await countsOf(TWITTER)).toEqual({});
  const sent = await reader.list('sent.json?count=100');
  expect(await countsOf(CHANNEL)).toEqual({ pending: total, sent: sent.total });
  const { json } = await reader.get(`/1/profiles/${CHANNEL}.json`);
  expect(json).toMatchObject({ counts: { pending: total, sent: sent.total } });
});

test('a list of what came since a time counts for nothing', async () => {
  const before = await countsOf(CHANNEL);
  await reader.list('pending.json?since=1');
  expect(await countsOf(CHANNEL)).toEqual(before);
});

/** Both lists are read to their ends; their lengths. */
async function readBoth() {
  const pending = (await reader.list('pending.json?count=100')).total;
  return { pending, sent: (await reader.list('sent.json?count=100')).total };
}

const createUpdate = (text: string, more = {}) =>
  sendRaw(door.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...rawForm(new URLSearchParams({ 'profile_ids[]': CHANNEL, text, ...more }).toString(), {
      authorization: `Bearer ${reader.token}`,
    }),
  });

describe('a post that the app makes', () => {
  afterEach(() => {
    door.proxy.onOtherAnswer = undefined;
  });

  test('and that is sent at once counts among the sent ones alone', async () => {
    const before = await readBoth();
    const { status } = await createUpdate('At once', { now: 'true' });
    expect([status, await countsOf(CHANNEL)]).toEqual([200, { ...before, sent: before.sent + 1 }]);
    expect(await readBoth()).toEqual({ ...before, sent: before.sent + 1 });
  });

  test('and whose queue is read before its answer comes counts once', async () => {
    const { pending } = await readBoth();
    door.proxy.onOtherAnswer = async (call, answer) => {
      if (!isWrite(call)) return answer;
      await door.bridge.context.store.volatile.deleteFrom('post_answers').execute();
      await reader.list('pending.json?count=100');
      return answer;
    };
    const { status } = await createUpdate('Read in between');
    expect([status, await countsOf(CHANNEL)]).toEqual([200, {}]);
    expect((await readBoth()).pending).toBe(pending + 1);
    expect(await countsOf(CHANNEL)).toMatchObject({ pending: pending + 1 });
  });
});

const change = (id: string, action: 'share' | 'destroy', { token } = reader) =>
  sendRaw(door.bridgeUrl, {
    method: 'POST',
    path: `/1/updates/${id}/${action}.json`,
    ...rawForm('', { authorization: `Bearer ${token}` }),
  });

test('a post that is sent or deleted leaves the list that showed it, and the numbers of other profiles stay', async () => {
  for (const text of ['One', 'Two', 'Three']) expect((await createUpdate(text)).status).toBe(200);
  const inTwitter = (await reader.list('pending.json?count=100', TWITTER)).total;
  const pendingNow = async () => {
    const before = await readBoth();
    const { updates } = await reader.list('pending.json?count=100');
    return { counts: before, updates };
  };
  const { counts: before, updates: listed } = await pendingNow();
  const shared = listed[0]?.id ?? '';
  expect((await change(shared, 'share')).status).toBe(200);
  expect(await countsOf(CHANNEL)).toEqual({ pending: before.pending - 1, sent: before.sent + 1 });
  const { counts: then, updates: seen } = await pendingNow();
  const deleted = seen[0]?.id ?? '';
  expect(then).toEqual({ pending: before.pending - 1, sent: before.sent + 1 });
  expect((await change(deleted, 'destroy')).status).toBe(200);
  expect(await countsOf(CHANNEL)).toEqual({ ...then, pending: then.pending - 1 });
  // The list was read before that change, so it does not show what became of the others since.
  const [, next = { id: '' }] = seen;
  expect((await change(next.id, 'destroy')).status).toBe(200);
  expect(await countsOf(CHANNEL)).toEqual({});
  expect(await countsOf(TWITTER)).toMatchObject({ pending: inTwitter });
});

test('a post that was seen in the queue, and later among the sent ones, leaves the sent ones', async () => {
  const other = await connectReader(door);
  const { json } = await createUpdate('Sent by somebody else');
  const [{ id } = { id: '' }] = (json as { updates: Array<{ id: string }> }).updates;
  await door.bridge.context.store.volatile.deleteFrom('post_answers').execute();
  const { total: pending } = await reader.list('pending.json?count=100');
  expect((await change(id, 'share', other)).status).toBe(200);
  const { total: sent, updates } = await reader.list('sent.json?count=100');
  expect(updates.map((update) => update.id)).toContain(id);
  expect((await change(id, 'destroy')).status).toBe(200);
  expect(await countsOf(CHANNEL)).toEqual({ pending, sent: sent - 1 });
});

test('a cache that is away takes the counts away, and costs no caller an answer', async () => {
  const breaker = await openStoreBreaker(door.bridge.database);
  try {
    await breaker.whileMissing('post_answers', async () => {
      expect(await countsOf(CHANNEL)).toEqual({});
      expect((await reader.list('sent.json')).updates.length).toBeGreaterThan(0);
    });
  } finally {
    await breaker.close();
  }
});
