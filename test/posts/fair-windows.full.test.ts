import type { Door } from '../endpoints/support/door.ts';
import type { Answer } from '../support/servers/forward.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { isWrite } from './support/bakery.ts';
import { CHANNEL, type Reader } from './support/reader.ts';
import { openTwoApps } from './support/two-apps.ts';

/** Two apps that write through the bridge's own client, whose budget has two windows: each window is shared for itself. */

const MINUTE = 60_000;
const DAY = 86_400_000;
const SHORT = 100;

const clock = new SettableClock();
let door: Door;
let busy: Reader;
let other: Reader;

beforeAll(async () => {
  ({
    door,
    flooding: busy,
    other,
  } = await openTwoApps({
    clock,
    accessTokenSeconds: 100 * 86_400,
    env: { LEGACY_RATE_LIMIT: '0' },
  }));
});

afterAll(() => door.stop());

/** The budget of the new API: what is left of a quarter of an hour, and of thirty days. */
const budget = { short: SHORT, shortEnd: 0, long: 3000, longEnd: 0 };

const secondsTo = (at: number) => Math.ceil((at - clock.now()) / 1000);

function tell(answer: Answer): Answer {
  const headers = {
    ratelimit: `"100-in-15min";r=${budget.short};t=${secondsTo(budget.shortEnd)}, "3000-in-30day";r=${budget.long};t=${secondsTo(budget.longEnd)}`,
    'ratelimit-policy': '"100-in-15min";q=100;w=900, "3000-in-30day";q=3000;w=2592000',
  };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** The short window opens again; the account is known, so that a write costs one request. */
async function openShort(): Promise<void> {
  clock.advance(15 * MINUTE + 1000);
  Object.assign(budget, { short: SHORT, shortEnd: clock.now() + 15 * MINUTE });
  for (const { token } of [busy, other])
    await sendRaw(door.bridgeUrl, {
      path: '/1/profiles.json',
      headers: { authorization: `Bearer ${token}` },
    });
}

/** Both windows open again, the long one with so many left. */
async function openBoth(long: number): Promise<void> {
  clock.advance(31 * DAY);
  Object.assign(budget, { long, longEnd: clock.now() + 30 * DAY });
  door.proxy.onOtherAnswer = (call, answer: Answer) => {
    if (isWrite(call)) Object.assign(budget, { short: budget.short - 1, long: budget.long - 1 });
    return tell(answer);
  };
  await openShort();
}

const create = ({ token }: Reader, text: string) =>
  sendRaw(door.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...rawForm(new URLSearchParams({ 'profile_ids[]': CHANNEL, text, is_draft: 'true' }).toString(), {
      authorization: `Bearer ${token}`,
    }),
  });

/** How many of so many writes, one after the other, were sent. */
async function writeMany(app: Reader, count: number): Promise<number> {
  let sent = 0;
  for (let number = 0; number < count; number++)
    if ((await create(app, `Of many ${number}`)).status === 200) sent += 1;
  return sent;
}

test('what an app took in earlier windows is not held against it in the next one', async () => {
  await openBoth(1300);
  for (let window = 0; window < 5; window++) {
    await openShort();
    expect(await writeMany(busy, 40)).toBe(40);
  }
  await openShort();
  expect(await writeMany(other, 80)).toBe(80);
  expect((await create(busy, 'Its first in this window')).status).toBe(200);
  // Alone in a window it gets nine tenths of it.
  await openShort();
  expect(await writeMany(busy, 95)).toBe(90);
}, 120_000);

test('an app that has its share of the long window waits, in every short window; others write on', async () => {
  await openBoth(30);
  expect(await writeMany(busy, 30)).toBe(27);
  await openShort();
  const refused = await create(busy, 'Over its share');
  expect(refused.status).toBe(429);
  // The window ends in thirty days. An hour after the last report one request asks again: the plan may have grown.
  const wait = Number(refused.headers['retry-after']);
  expect(wait).toBeGreaterThan(40 * 60);
  expect(wait).toBeLessThanOrEqual(45 * 60);
  expect((await create(other, 'Of the other app')).status).toBe(200);
  await openBoth(3000);
  expect((await create(busy, 'In the next long window')).status).toBe(200);
});
