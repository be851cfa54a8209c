import type { Browser, Page } from 'playwright-core';
import { CAMPAIGN, NEWS } from '../../../src/demo-data/apps.ts';
import { addStaff } from '../../../src/domain/accounts/staff.ts';
import { DANA, SAM } from '../../owners/support/people.ts';
import { type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { follow, press } from '../steps.ts';
import { arriveAt } from './arrive.ts';
import { countClicks, type CountedClicks } from './counted-clicks.ts';
import { type DemoWorld, startDemoWorld } from './demo-world.ts';

/** What an owner, a support agent and a manager come for, in a real browser, with every click counted (docs/pages.md). */

let oldBackend: OldBackend;
let world: DemoWorld;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let clicks: CountedClicks;

const main = () => page.getByRole('main').innerText();

/** Signs in, and forgets the clicks that it took. */
async function arriveCounted(path: string, person: typeof DANA): Promise<void> {
  await arriveAt(page, `${world.bridgeUrl}${path}`, person);
  clicks.words.length = 0;
}

const CONTACT = 'colleague@bakery.example';

async function choose(access: string): Promise<void> {
  const name = `What ${CONTACT} may do`;
  await page.getByLabel(name, { exact: true }).selectOption(access);
  await page
    .getByRole('row', { name: CONTACT })
    .getByRole('button', { name: /^Change/ })
    .click();
}

/** From the own apps over an example and the live calls to a contact who sees the app, and back. */
async function asOwner(): Promise<void> {
  await arriveCounted('/apps', DANA);
  await page.locator(`#own-${NEWS.clientId}`).getByRole('link').click();
  await follow(page, 'New calls');
  expect(await main()).toContain('/1/profiles.json');
  await follow(page, 'Is it me?');
  await page.getByText('Listening.').waitFor();
  await world.call(world.tokenOf('dana', NEWS.clientId).token);
  await page.getByRole('row', { name: /weekly-cron/ }).waitFor({ timeout: 30_000 });
  await follow(page, 'Contacts');
  await page.getByLabel('Mail address').fill(CONTACT);
  await press(page, 'Add');
  await choose('read');
  await page.getByText('Once they have shown that the address is theirs').waitFor();
  await choose('none');
  await page.getByText('They see this app no more').waitFor();
  expect(clicks.words).toEqual([
    'Bakery news',
    'New calls',
    'Is it me?',
    'Contacts',
    'Add',
    `Change what ${CONTACT} may do`,
    `Change what ${CONTACT} may do`,
  ]);
}

async function search(words: string): Promise<void> {
  await page.getByRole('searchbox').first().fill(words);
  await page.getByRole('searchbox').first().press('Enter');
}

/** What a caller says, and what leads to the page with the sentence and the next step. */
async function toThePage(words: string, sentence: RegExp): Promise<void> {
  await page.goto(`${world.bridgeUrl}/support`);
  await search(words);
  await page.getByText(sentence).first().waitFor();
  expect(clicks.words).toEqual([]);
}

/** From what a caller says to how it stands, an action on it, and the action taken back. */
async function asAgent(): Promise<void> {
  const { token, id } = world.tokenOf('dana', NEWS.clientId);
  const named = { account: SAM.accountId, role: 'agent', actor: 'test', requestId: null } as const;
  await addStaff(world.bridge.context, named);
  const refused = (await world.call(token)).json as { reauthorize: { link: string } };
  await arriveCounted('/support', SAM);
  await toThePage('dana de', /apps? (?:has|have) stopped.*One link connects/);
  await toThePage(refused.reauthorize.link, /stopped/);
  await toThePage(token.slice(-4), /It has stopped working/);
  await page.waitForURL(`${world.bridgeUrl}/support/mappings/${id}`);

  await page.goto(`${world.bridgeUrl}/support/mappings/${id}`);
  await follow(page, 'Revoke');
  await page.getByLabel('Reason').fill('The caller wants it gone');
  await press(page, 'Revoke the token');
  await page.getByText(/^Revoked\. /).waitFor();
  await follow(page, 'Take back');
  await page.getByLabel('Reason').fill('It was another one');
  await press(page, 'Take it back');
  await page.getByText('Taken back.').first().waitFor();
  expect(clicks.words).toEqual(['Revoke', 'Revoke the token', 'Take back', 'Take it back']);
  expect(await main()).toMatch(/It was another one[^]*The caller wants it gone/);
}

/** From the numbers over the forecast to an app that gets more time, and back; the history keeps both. */
async function asManager(): Promise<void> {
  await arriveCounted('/support/numbers', DANA);
  // Which of the two is true depends on the day: the pace is one of whole days.
  expect(await main()).toMatch(
    /(?:did not fall in the last two weeks|In the last two weeks the number .* rose by \d+), so there is no forecast\./,
  );
  await follow(page, 'Apps with people who wait');
  await page.getByRole('link', { name: CAMPAIGN.name, exact: true }).click();
  await follow(page, 'Give more time');
  await page.getByLabel('Until').fill('2027-03-31');
  await page.getByLabel('Reason').fill('Their only developer is ill');
  await press(page, 'Give more time');
  await page.getByText('The app has more time from now on.').waitFor();
  await follow(page, 'Take back');
  await page.getByLabel('Reason').fill('It was meant for another app');
  await press(page, 'Take it back');
  await page.getByText('Taken back.').first().waitFor();
  expect(await main()).toMatch(/It was meant for another app[^]*Their only developer is ill/);
  expect(clicks.words).toEqual([
    'Apps with people who wait',
    'Autumn campaign',
    'Give more time',
    'Give more time',
    'Take back',
    'Take it back',
  ]);
}

const WALKS = {
  'an owner comes from the own apps to an example, the live calls, and a contact who sees the app and then not, in seven clicks':
    asOwner,
  'an agent comes from what a caller says to how it stands without a click, and acts and takes it back in four':
    asAgent,
  'a manager comes from the numbers to an app that gets more time in four clicks, and takes it back in two':
    asManager,
};

/** Walks these ways, each in a browser of its own. */
export function walkCounted(): void {
  if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);
  (browserMissing ? describe.skip : describe)('with every click counted', () => {
    beforeAll(async () => {
      oldBackend = await startOldBackend({ accounts: [] });
      const env = { LEGACY_BACKEND_URL: oldBackend.url };
      [world, browser] = await Promise.all([startDemoWorld({ env }), openChromium()]);
    });
    afterAll(async () => {
      await browser.close();
      await world.stop();
      await oldBackend.close();
    });
    beforeEach(async () => {
      visitor = await newVisitor(browser);
      page = await visitor.newTab();
      page.setDefaultTimeout(30_000);
      clicks = await countClicks(page.context());
    });
    afterEach(async () => {
      await visitor.leave();
      expect(visitor.complaints).toEqual([]);
    });
    for (const [name, walk] of Object.entries(WALKS)) test(name, walk, 180_000);
  });
}
