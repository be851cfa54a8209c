import type { Browser, Page } from 'playwright-core';
import { CAMPAIGN, NEWS } from '../../../src/demo-data/apps.ts';
import { DANA_PERSON, letterTo, toHolder } from '../../reminders/support/letters.ts';
import { DANA, SAM } from '../../owners/support/people.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { inspect, type View } from '../inspect.ts';
import { press, seeHeading, signIn } from '../steps.ts';
import { allow, arriveAt } from './arrive.ts';
import { countClicks, type CountedClicks } from './counted-clicks.ts';
import { type DemoWorld, startDemoWorld } from './demo-world.ts';

/** From a mail that the bridge writes to connected, in a real browser, with every click counted. */

const VIEWS: readonly View[] = [390, 1280].flatMap((width) => [
  { width, colorScheme: 'light' as const },
  { width, colorScheme: 'dark' as const },
]);

const MAIL = 'http://mail.example/';

let world: DemoWorld;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let clicks: CountedClicks;

/** With pictures and what axe finds only where the walk is for looking. */
let isForLooking = false;

async function look(name: string): Promise<void> {
  if (isForLooking) expect(await inspect(page, `mail-${name}`, VIEWS)).toEqual([]);
}

const main = () => page.getByRole('main').innerText();
const statusOf = async (clientId: string) => (await world.call(world.tokenOf('dana', clientId).token)).status;

/** Opens the mail about an app in a tab, as a mail program shows it. */
async function openMail({ clientId, name }: { clientId: string; name: string }): Promise<void> {
  const app = { clientId, name, clientSecret: '', callback: '' };
  const { html } = await letterTo(world, DANA_PERSON, [toHolder(app, { part: { appName: name } })]);
  await page.route(`${MAIL}**`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.goto(MAIL);
}

const followMail = ({ name }: { name: string }) =>
  page
    .getByRole('link', { name: `Connect “${name}”` })
    .first()
    .click();

async function seeConnected({ clientId, name }: { clientId: string; name: string }): Promise<void> {
  await seeHeading(page, `“${name}” is connected`);
  expect(await main()).toMatch(/We just read 12 channels of your account/);
  expect(await statusOf(clientId)).toBe(200);
}

async function signedOut(): Promise<void> {
  await openMail(CAMPAIGN);
  await followMail(CAMPAIGN);
  await look('link-signed-out');
  await press(page, 'Connect');
  await signIn(page, DANA);
  await press(page, 'Allow');
  await seeConnected(CAMPAIGN);
  expect(clicks.words).toEqual(['Connect “Autumn campaign”', 'Connect', 'Sign in', 'Allow']);
  await look('connected');
}

async function nextApp(): Promise<void> {
  await openMail(CAMPAIGN);
  await followMail(CAMPAIGN);
  await press(page, 'Connect');
  await signIn(page, DANA);
  await press(page, 'Allow');
  await seeHeading(page, '“Autumn campaign” is connected');
  const next = page.getByRole('button', { name: /^Connect “/ });
  const name = /“(.*)”/.exec(await next.innerText())?.[1] ?? '';
  await next.click();
  await allow(page);
  await seeHeading(page, `“${name}” is connected`);
  expect(clicks.words.slice(4)).toEqual([`Connect “${name}”`, 'Allow']);
  await look('connected-last');
}

async function signedIn(): Promise<void> {
  await arriveAt(page, `${world.bridgeUrl}/apps`, DANA);
  const before = clicks.words.length;
  await openMail(NEWS);
  await followMail(NEWS);
  await press(page, 'Connect');
  await allow(page);
  await seeConnected(NEWS);
  expect(clicks.words.slice(before)).toEqual(['Connect “Bakery news”', 'Connect', 'Allow']);
}

async function wrongAccountHere(): Promise<void> {
  await arriveAt(page, `${world.bridgeUrl}/apps`, SAM);
  const before = clicks.words.length;
  await openMail(CAMPAIGN);
  await followMail(CAMPAIGN);
  await look('link-of-another');
  await press(page, 'Switch account and connect');
  await signIn(page, DANA);
  await press(page, 'Allow');
  await seeConnected(CAMPAIGN);
  expect(clicks.words.slice(before)).toEqual([
    'Connect “Autumn campaign”',
    'Switch account and connect',
    'Sign in',
    'Allow',
  ]);
  await page.goto(`${world.bridgeUrl}/apps/account`);
  expect(await main()).toContain(DANA.login);
}

async function wrongAccountThere(): Promise<void> {
  await openMail(CAMPAIGN);
  await followMail(CAMPAIGN);
  await press(page, 'Connect');
  await signIn(page, SAM);
  await press(page, 'Allow');
  await seeHeading(page, 'Nothing was changed');
  expect(await main()).toContain(SAM.login);
  await look('another-account');
  const before = clicks.words.length;
  await press(page, 'Use another account');
  await signIn(page, DANA);
  await press(page, 'Allow');
  await seeConnected(CAMPAIGN);
  expect(clicks.words.slice(before)).toEqual(['Use another account', 'Sign in', 'Allow']);
}

async function nextMorning(): Promise<void> {
  await arriveAt(page, `${world.bridgeUrl}/apps`, DANA);
  await press(page, 'Sign out');
  await seeHeading(page, 'You are signed out');
  expect(await main()).toMatch(/You may still be signed in on the account page/);
  await look('signed-out');
  const before = clicks.words.length;
  await page.getByRole('link', { name: 'Sign in again' }).click();
  // Whoever signed out is asked who they are, and for no consent.
  await signIn(page, DANA);
  await seeHeading(page, 'Your apps');
  expect(clicks.words.slice(before)).toEqual(['Sign in again', 'Sign in']);
  // On the next morning the session here is over, and that of the account page is not.
  await page.context().clearCookies({ name: 'gb_session' });
  await page.goto(`${world.bridgeUrl}/apps`);
  await seeHeading(page, 'Your apps');
  expect(clicks.words.slice(before)).toEqual(['Sign in again', 'Sign in']);
}

async function withoutScript(): Promise<void> {
  await visitor.leave();
  await arrive({ javaScriptEnabled: false });
  await openMail(CAMPAIGN);
  await followMail(CAMPAIGN);
  await press(page, 'Connect');
  await signIn(page, DANA);
  await press(page, 'Allow');
  await seeConnected(CAMPAIGN);
}

const WALKS = {
  'signed out, four clicks lead from the mail to connected and what can be read': signedOut,
  'after it the next app that waits is one click and one consent away': nextApp,
  'signed in, three clicks lead from the mail to connected': signedIn,
  'signed in with another account, one click switches and four in all connect': wrongAccountHere,
  'with another account on the account page nothing is connected, and one click leads on': wrongAccountThere,
  'a sign-out says what stays, the next sign-in asks for no consent, and the next morning for nothing':
    nextMorning,
  'without script the mail leads to connected too': withoutScript,
};

async function arrive(options: { javaScriptEnabled?: boolean } = {}): Promise<void> {
  visitor = await newVisitor(browser, options);
  page = await visitor.newTab();
  page.setDefaultTimeout(30_000);
}

/** Walks these ways, each on data of its own. `looks`: keeps pictures of each page, and asks axe about it. */
export function walkFromMail(names: ReadonlyArray<keyof typeof WALKS>, { looks = false } = {}): void {
  if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);
  (browserMissing ? describe.skip : describe)('from a mail', () => {
    beforeAll(async () => {
      isForLooking = looks;
      browser = await openChromium();
    });
    afterAll(() => browser.close());
    beforeEach(async () => {
      world = await startDemoWorld({ clientSecret: 'a-secret-of-the-bridge-for-its-own-client' });
      await arrive();
      clicks = await countClicks(page.context());
    });
    afterEach(async () => {
      await visitor.leave();
      await world.stop();
      expect(visitor.complaints).toEqual([]);
    });
    for (const name of names) test(name, WALKS[name], 60_000);
  });
}
