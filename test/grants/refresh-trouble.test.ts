import { findRefreshTrouble, troubleOf } from '../../src/domain/grants/refresh/refresh-trouble.ts';
import { timeWords } from '../../src/http/wording/dates/words.ts';
import { readBreaker, stopForDeaths } from '../../src/store/grants/refresh-breaker.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Support reads on its first page that refreshing is slowed or stopped, and since when; calls go on being taken. */

const HOUR = 3_700_000;
const MINUTE = 60_000;

const clock = new SettableClock();
let system: System;
let staff: CookieWalker;
const tokens: string[] = [];

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', IN_DOUBT_QUIET_SECONDS: '86400' };
  system = await startSystem({ clock, env });
  for (let number = 0; number < 12; number += 1) {
    const app = await system.registerApp(`https://app-${number}.example/callback`);
    tokens.push(await issueToken(system, { app }));
  }
  clock.advance(HOUR);
  staff = await staffBrowser(system, 'reader');
});

afterAll(() => system.stop());

const trouble = () => findRefreshTrouble(system.bridge.context);
const page = async () => (await staff.get(`${system.bridgeUrl}/support`)).body;
const isReady = async () => (await sendRaw(system.bridgeUrl, { path: '/ready' })).status === 200;

/** Calls with the next tokens, whose answers are lost. */
async function lose(count: number): Promise<void> {
  system.proxy.onTokenAnswer = () => ({ status: 502, headers: {}, body: Buffer.from('bad gateway') });
  for (const token of tokens.splice(0, count)) await read(system, '/1/profiles.json', token);
  system.proxy.onTokenAnswer = undefined;
}

test('while refreshing goes on nothing is said', async () => {
  expect(await trouble()).toBeUndefined();
  expect(await page()).not.toContain('Refreshing');
});

test('five answers that are late slow it, though no further refresh may begin until one of them comes', async () => {
  let isHeld = true;
  system.proxy.onTokenAnswer = async (_call, answer) => {
    await until(() => !isHeld);
    return answer;
  };
  const calls = tokens.splice(0, 5).map((token) => read(system, '/1/profiles.json', token));
  await until(() => system.proxy.refreshes().length === 5);
  expect(await trouble()).toBeUndefined();
  clock.advance(3000);
  expect(await trouble()).toEqual({ kind: 'slowed', lost: 0 });
  expect(await page()).toContain('Refreshing is slowed to five at once');
  isHeld = false;
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  system.proxy.onTokenAnswer = undefined;
  expect(await trouble()).toBeUndefined();
  clock.advance(1);
});

test('after a lost answer it is slowed', async () => {
  await lose(1);
  expect(await trouble()).toEqual({ kind: 'slowed', lost: 1 });
  const text = await page();
  expect(text).toContain('Refreshing is slowed to five at once');
  expect(text).toContain('Most connections whose access has run out are refreshed all the same');
});

test('after five it is stopped, since then and until the next try; the process stays ready', async () => {
  await lose(4);
  const [since, nextAt] = [clock.now(), clock.now() + MINUTE];
  clock.advance(MINUTE / 2);
  expect(await trouble()).toEqual({ kind: 'tripped', since, nextAt });
  const text = await page();
  expect(text).toContain(`stopped since ${timeWords(since)}`);
  expect(text).toContain(`tries one refresh from ${timeWords(nextAt)} on`);
  expect(text).toContain('answer with what is known, or 503');
  expect(text).not.toContain('are refreshed all the same');
  expect(await isReady()).toBe(true);
});

test('a good answer ends that, before anybody looks again', async () => {
  clock.advance(MINUTE / 2);
  const view = await readBreaker(system.bridge.context.store.durable, clock.now());
  expect(troubleOf({ ...view, goodAt: clock.now() }, clock.now())).toBeUndefined();
  const [token = ''] = tokens.splice(0, 1);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  expect(await trouble()).toBeUndefined();
});

test('after many deaths it is stopped for five minutes', async () => {
  const since = clock.now();
  await stopForDeaths(system.bridge.context.store.durable, since);
  expect(await trouble()).toEqual({ kind: 'deaths', since, until: since + 5 * MINUTE });
  expect(await page()).toContain(`Refreshing goes on at ${timeWords(since + 5 * MINUTE)}`);
  expect(await isReady()).toBe(true);
  clock.advance(5 * MINUTE);
  expect(await trouble()).toBeUndefined();
});
