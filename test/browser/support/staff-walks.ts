import type { Browser, Page } from 'playwright-core';
import { DESK } from '../../../src/demo-data/apps.ts';
import { DANA, SAM } from '../../owners/support/people.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { allow, arriveAt } from './arrive.ts';
import { type DemoWorld, startDemoWorld } from './demo-world.ts';
import { follow, press, seeHeading, signIn } from '../steps.ts';

/** A program that stopped, from the call of its holder to its working again, by support in one browser and the holder in another. */

let world: DemoWorld;
let browser: Browser;
let visitors: Visitor[];

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

async function newTab(options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const visitor = await newVisitor(browser, options);
  visitors.push(visitor);
  const page = await visitor.newTab();
  page.setDefaultTimeout(30_000);
  return page;
}

const main = (page: Page) => page.getByRole('main').innerText();

/** The holder connects the app with the waiting tokens. */
async function connect(holder: Page): Promise<void> {
  await arriveAt(holder, `${world.bridgeUrl}/apps`, SAM);
  await holder.goto(`${world.bridgeUrl}/apps/${DESK.clientId}`);
  // The walk before this one left it connected.
  if ((await holder.getByRole('button', { name: 'Connect', exact: true }).count()) === 0) return;
  await press(holder, 'Connect');
  await allow(holder);
  await holder.waitForURL(/\/apps/);
}

/** The holder takes the access back at the account, as anybody may who does not know what stands on it. */
async function takeBack(holder: Page): Promise<void> {
  await holder.goto(`${world.proxy.origin}/settings/apps`);
  await holder.getByRole('link', { name: /^Revoke/ }).click();
  await press(holder, 'Revoke');
  await seeHeading(holder, 'Connected apps');
}

/** Support looks for what the caller reads out, by pasting it. */
async function search(staff: Page, words: string): Promise<void> {
  await arriveAt(staff, `${world.bridgeUrl}/support`, DANA);
  await staff.getByRole('searchbox').fill(words);
  await press(staff, 'Search');
}

async function makeLink(staff: Page): Promise<string> {
  await follow(staff, 'Make a link to connect');
  await staff.getByLabel('Reason').fill('The holder called: the ticket printer is silent');
  await press(staff, 'Make the link');
  return staff.getByLabel('The link', { exact: true }).inputValue();
}

/** Opens the link in a browser in which nobody is signed in at the bridge. */
async function connectBy(holder: Page, link: string): Promise<void> {
  await holder.goto(link);
  await press(holder, 'Connect');
  await signIn(holder, SAM);
  await allow(holder);
  await holder.waitForURL(/\/connected/);
}

async function walk(javaScriptEnabled: boolean): Promise<void> {
  const { token, id } = world.tokenOf('sam', DESK.clientId);
  const holder = await newTab({ javaScriptEnabled });
  await connect(holder);
  expect((await world.call(token)).status).toBe(200);
  await takeBack(holder);
  expect((await world.call(token)).status).toBe(401);

  const staff = await newTab({ javaScriptEnabled });
  await search(staff, `Authorization: Bearer ${token}`);
  await staff.waitForURL(`${world.bridgeUrl}/support/mappings/${id}`);
  expect(await main(staff)).toContain('the new API refused to renew the connection');
  const link = await makeLink(staff);

  const elsewhere = await newTab({ javaScriptEnabled });
  await connectBy(elsewhere, link);
  expect((await world.call(token)).status).toBe(200);
  await staff.goto(`${world.bridgeUrl}/support/mappings/${id}`);
  expect(await main(staff)).toMatch(/It works/);
  expect(await main(staff)).toContain('The holder called: the ticket printer is silent');
  expect(await staff.content()).not.toContain(token);
}

/** Walks the way with script, or without. */
export function walkAsStaff({ javaScriptEnabled }: { javaScriptEnabled: boolean }): void {
  (browserMissing ? describe.skip : describe)('support with a browser', () => {
    beforeAll(async () => {
      [world, browser] = await Promise.all([startDemoWorld(), openChromium()]);
    });
    afterAll(async () => {
      await browser.close();
      await world.stop();
    });
    beforeEach(() => {
      visitors = [];
    });
    afterEach(async () => {
      for (const visitor of visitors) await visitor.leave();
      expect(visitors.flatMap(({ complaints }) => complaints)).toEqual([]);
    });
    const how = javaScriptEnabled ? 'with script' : 'without script';
    test(`finds why a program stopped and mends it with its holder, ${how}`, () => walk(javaScriptEnabled));
  });
}
