import type { Door } from '../endpoints/support/door.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { PAGE, type Reader } from './support/reader.ts';
import { leaveOf } from './support/shrinking-budget.ts';
import { openTwoApps } from './support/two-apps.ts';

/** Readings of accounts and boards take their share of the budget of the bridge's own client, as reads of posts do. */

const MINUTE = 60_000;

const clock = new SettableClock();
let door: Door;
let flooding: Reader;
let other: Reader;

beforeAll(async () => {
  ({ door, flooding, other } = await openTwoApps({ clock }));
});

afterAll(() => door.stop());

/** The windows of the last test have ended, and both apps have an answer that is not fresh any more. */
beforeEach(async () => {
  clock.advance(16 * MINUTE);
  for (const app of [flooding, other]) await app.get('/1/profiles.json?subprofiles=1');
  clock.advance(16 * MINUTE);
});

afterEach(() => {
  door.proxy.onOtherAnswer = undefined;
});

/** The last known answers of all accounts are lost. */
async function forget(): Promise<void> {
  await door.bridge.context.store.volatile.deleteFrom('answers').execute();
  await door.bridge.context.store.volatile.deleteFrom('post_answers').execute();
}

/** The new API tells how much is left in an answer to a post's reading of the other app. */
async function begin(left: number): Promise<{ left: number }> {
  const budget = leaveOf(door, left + 1);
  await other.get(`/1/profiles/${PAGE}/updates/pending.json`);
  return budget;
}

const sentIn = async (work: () => Promise<unknown>) => {
  const before = door.proxy.readings().length;
  await work();
  return door.proxy.readings().length - before;
};

test('below a tenth the last known account serves with its age, and nothing is sent', async () => {
  await begin(5);
  let answer = await flooding.get('/1/user.json');
  const sent = await sentIn(async () => {
    answer = await flooding.get('/1/profiles.json?subprofiles=1');
  });
  expect([answer.status, sent]).toEqual([200, 0]);
  expect(Number(answer.headers['age'])).toBeGreaterThan(15 * 60);
});

test('without a last known answer the account is read below a tenth too', async () => {
  await begin(5);
  await forget();
  expect(await sentIn(async () => expect((await flooding.get('/1/profiles.json')).status).toBe(200))).toBe(2);
});

test('an app whose accounts are all unknown leaves a tenth to another app', async () => {
  const budget = await begin(20);
  // A reading that knows no organization takes two requests.
  const statuses: number[] = [];
  for (let number = 0; number < 12; number += 1) {
    await forget();
    statuses.push((await flooding.get('/1/user.json')).status);
  }
  expect(statuses).toEqual([
    ...Array.from({ length: 9 }, () => 200),
    ...Array.from({ length: 3 }, () => 503),
  ]);
  expect(budget.left).toBe(2);
  await forget();
  const refused = await flooding.get('/1/user.json');
  expect([refused.status, refused.json]).toMatchObject([503, { code: 1000 }]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await other.get('/1/user.json')).status).toBe(200);
});

test('an unknown profile is looked for below a tenth too', async () => {
  await begin(5);
  const path = `/1/profiles/${'f'.repeat(24)}/updates/pending.json`;
  expect(await sentIn(async () => expect((await flooding.get(path)).status).toBe(404))).toBe(1);
});
