import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import type { RegisteredApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { consentAt, DANA, pressIn, waitingToken, wordsOf } from './support/people.ts';

/** The page after a consent under the settings that a bridge starts with, by which reads are kept for a minute. */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
});

afterAll(() => system.stop());

test('a read that is kept for calls is shown with its time, and not called new', async () => {
  const app = (await system.registerApp('https://waiting.example/callback')) as RegisteredApp;
  await waitingToken(system, { app, accountId: DANA.accountId });
  const pair = { clientId: app.clientId, accountId: DANA.accountId };
  const browser = new CookieWalker();
  const link = await browser.get(await reauthorizationLink(system.bridge.context, pair));
  const left = await pressIn(browser, link, /^Connect$/);
  const page = await browser.follow(await browser.get(await consentAt(system, left, { person: DANA })));
  expect(wordsOf(page)).toContain('We just read 12 channels');
  clock.advance(30_000);
  clock.run();
  const words = wordsOf(await browser.get(page.url));
  expect(words).toMatch(/We read 12 channels of your account with this connection, \d/);
  expect(words).not.toContain('just');
});
