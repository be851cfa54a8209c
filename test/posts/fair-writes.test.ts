import type { Door } from '../endpoints/support/door.ts';
import { until } from '../support/servers/held-answer.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { isWrite } from './support/bakery.ts';
import { CHANNEL, connectReader, type Reader } from './support/reader.ts';
import { leaveOf } from './support/shrinking-budget.ts';
import { openTwoApps } from './support/two-apps.ts';

/** Two apps that write through the bridge's own client: neither takes all places, nor the whole budget. */

const MINUTE = 60_000;

const clock = new SettableClock();
let door: Door;
let flooding: Reader;
let other: Reader;

beforeAll(async () => {
  ({ door, flooding, other } = await openTwoApps({ clock }));
});

afterAll(() => door.stop());

beforeEach(async () => {
  clock.advance(16 * MINUTE);
  for (const { token } of [flooding, other])
    await sendRaw(door.bridgeUrl, {
      path: '/1/profiles.json',
      headers: { authorization: `Bearer ${token}` },
    });
});

afterEach(() => {
  door.proxy.onOtherCall = undefined;
  door.proxy.onOtherAnswer = undefined;
});

const create = ({ token }: Reader, text: string) =>
  sendRaw(door.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...rawForm(new URLSearchParams({ 'profile_ids[]': CHANNEL, text, is_draft: 'true' }).toString(), {
      authorization: `Bearer ${token}`,
    }),
  });

/** From now on the new API counts writes against a budget in which so many are left. */
const leave = (left: number) => leaveOf(door, left, isWrite);

/** Writes of one app, one after the other; their statuses. */
async function writeMany(app: Reader, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let number = 0; number < count; number++)
    statuses.push((await create(app, `Of many ${number}`)).status);
  return statuses;
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status);

const rows = async () =>
  (await door.bridge.context.store.durable.selectFrom('post_writes').select('id').execute()).length;

/** The new API has said what is left: each of the two apps has written once. */
async function begin(left: number): Promise<{ left: number }> {
  const budget = leave(left + 2);
  await create(flooding, 'The first');
  await create(other, 'The first');
  return budget;
}

test('an app that has taken nine times what is left waits with its writes, and another app writes on', async () => {
  const budget = await begin(20);
  // One was taken before: the eighteenth of these would be the nineteenth, which is more than nine times two.
  expect(await writeMany(flooding, 21)).toEqual([...times(18, 200), ...times(3, 429)]);
  expect(budget.left).toBe(2);
  expect((await create(other, 'Of the other app')).status).toBe(200);
});

test('a write that is over its share says when to come again, and nothing is sent or kept of it', async () => {
  await begin(4);
  await writeMany(flooding, 4);
  const [sent, kept] = [door.proxy.readings().length, await rows()];
  const refused = await create(flooding, 'Too many');
  expect([refused.status, refused.json]).toMatchObject([429, { success: false, code: 429 }]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600);
  expect([door.proxy.readings().length, await rows()]).toEqual([sent, kept]);
});

test('many writes at once leave a share too, whatever order their answers come in', async () => {
  const budget = await begin(20);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => create(flooding, `At once ${n}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(budget.left).toBeGreaterThanOrEqual(2);
  expect((await create(other, 'Of the other app')).status).toBe(200);
});

test('with nothing left no app writes, and nothing is sent', async () => {
  await begin(0);
  const sent = door.proxy.readings().length;
  expect([...(await writeMany(flooding, 1)), ...(await writeMany(other, 1))]).toEqual([429, 429]);
  expect(door.proxy.readings()).toHaveLength(sent);
});

test.each([
  ['updates/create', { 'profile_ids[]': CHANNEL, text: 'Too late' }, 'Nothing was posted.'],
  [`updates/${'a'.repeat(24)}/share`, {}, 'Nothing was changed.'],
  [`profiles/${CHANNEL}/updates/shuffle`, {}, 'Nothing was changed.'],
])('with nothing left %s says so, though the account is not known any more', async (path, fields, words) => {
  clock.advance(60 * 24 * MINUTE);
  const fresh = await connectReader(door);
  leave(0);
  await create(fresh, 'The last');
  await door.bridge.context.store.volatile.deleteFrom('answers').execute();
  const sent = door.proxy.readings().length;
  const answer = await sendRaw(door.bridgeUrl, {
    method: 'POST',
    path: `/1/${path}.json`,
    ...rawForm(new URLSearchParams(fields).toString(), { authorization: `Bearer ${fresh.token}` }),
  });
  expect([answer.status, answer.json]).toMatchObject([429, { success: false, code: 429 }]);
  expect(answer.text).toContain(words);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(door.proxy.readings()).toHaveLength(sent);
});

/** Something that is waited for until it is opened. */
function newGate() {
  const gate = { open: (): void => undefined };
  const opened = new Promise<void>((resolve) => Object.assign(gate, { open: resolve }));
  return { opened, open: () => gate.open() };
}

test('writes of one app that get no answer leave places for another app', async () => {
  let held = 0;
  const gate = newGate();
  door.proxy.onOtherCall = async ({ body }) => {
    if (!body.includes('Held back')) return;
    held += 1;
    await gate.opened;
  };
  const flood = Array.from({ length: 60 }, () => create(flooding, 'Held back'));
  await until(() => held >= 20);
  expect((await create(other, 'Of the other app')).status).toBe(200);
  expect(held).toBe(20);
  gate.open();
  await Promise.all(flood);
});
