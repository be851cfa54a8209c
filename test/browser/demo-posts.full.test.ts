import type { Browser, Page } from 'playwright-core';
import { createKey, keyOn } from '../modern/support/api-keys.ts';
import { signedIn } from '../modern/support/settings.ts';
import { BAKERY, CHANNELS } from '../posts/support/posts.ts';
import { buildProgram } from '../processes/running-program.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../processes/whole-system.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from './chromium.ts';
import { inspect } from './inspect.ts';
import { allowAll, follow, press, seeHeading, startAt } from './steps.ts';

/** The demo integration posts over the old API; whether the posts are there is asked of the new API, past the bridge. */

interface RealPost {
  id: string;
  text: string;
  status: string;
  dueAt: string;
}

let place: Place;
let system: WholeSystem;
let browser: Browser;
let visitor: Visitor;
let page: Page;
/** Of the account itself, so that nothing of the bridge stands between. */
let apiKey: string;

const LIST = `query Waiting($input: PostsInput!) { posts(input: $input, first: 100) {
  edges { node { id text status dueAt } } } }`;

/** What really waits for a channel, first due first. */
async function waitingFor(channelId: string): Promise<RealPost[]> {
  const filter = { channelIds: [channelId], status: ['scheduled'] };
  const sort = [{ field: 'dueAt', direction: 'asc' }];
  const answer = await fetch(`${system.modernUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query: LIST, variables: { input: { organizationId: BAKERY, filter, sort } } }),
  });
  const { data } = (await answer.json()) as { data: { posts: { edges: Array<{ node: RealPost }> } } };
  return data.posts.edges.map(({ node }) => node);
}

const textsOf = async (channelId: string) => (await waitingFor(channelId)).map(({ text }) => text);

const cardOf = (text: string) =>
  page.getByRole('article').filter({ has: page.getByText(text, { exact: true }) });

const saying = async () => page.getByRole('status').innerText();

async function showQueueOf(channelId: string): Promise<void> {
  await page.getByLabel('Profile', { exact: true }).selectOption(channelId);
  await press(page, 'Show its posts');
  await page.waitForURL(`**/posts?profile=${channelId}`);
}

async function write(text: string, channelIds: readonly string[]): Promise<void> {
  await page.getByLabel('Text', { exact: true }).fill(text);
  const boxes = page.getByRole('checkbox');
  for (const box of await boxes.all())
    await box.setChecked(channelIds.includes((await box.getAttribute('value')) ?? ''));
  await press(page, 'Add to the queue');
}

const [FIRST, SECOND] = ['Rye bread is back', 'Open on the holiday, 8 to 12'];
const MARKUP = '\n</textarea><b>"Rye" & \'wheat\'</b>\n<script>alert(1)</script> 1 < 2';

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

(browserMissing ? describe.skip : describe)('a person who posts in the demo integration', () => {
  beforeAll(async () => {
    await buildProgram();
    place = await choosePlace();
    [system, browser] = await Promise.all([startWholeSystem(place.settings), openChromium()]);
    const { login: email, password } = system.person;
    apiKey = keyOn(await createKey(system.modernUrl, await signedIn(system.modernUrl, { email, password })));
    visitor = await newVisitor(browser);
    page = await visitor.newTab();
    page.setDefaultTimeout(20_000);
    await startAt(page, system.demoUrl);
    await allowAll(page, system.person);
    await seeHeading(page, 'Profiles (12)');
  });
  afterAll(async () => {
    expect(visitor.complaints).toEqual([]);
    await visitor.leave();
    await browser.close();
    await system.stop();
    place.remove();
  });

  test('works on pages that may run no script', async () => {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/posts')),
      follow(page, 'Posts of a profile'),
    ]);
    const policy = answer.headers()['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('script-src');
  });

  test('writes one post for two profiles, and both are there', async () => {
    await showQueueOf(CHANNELS.threads);
    const before = await textsOf(CHANNELS.threads);
    await write(FIRST, [CHANNELS.threads, CHANNELS.twitter]);
    expect(await saying()).toBe('The update was added to the queue for 2 of 2 profiles.');
    await write(SECOND, [CHANNELS.threads]);
    expect(await saying()).toBe('The update was added to the queue.');
    expect(await textsOf(CHANNELS.threads)).toEqual([...before, FIRST, SECOND]);
    expect(await textsOf(CHANNELS.twitter)).toContain(FIRST);
    expect((await page.getByRole('heading', { level: 2 }).allInnerTexts())[1]).toMatch(
      new RegExp(`: ${before.length + 2} waiting$`),
    );
  });

  test('lists what waits with the time of each, and moves one to the top', async () => {
    expect(await cardOf(SECOND).getByRole('heading').innerText()).toMatch(/\S+, \d{1,2}:\d{2} [ap]m$/);
    await cardOf(SECOND).getByRole('button', { name: 'Move to the top' }).click();
    expect(await saying()).toBe('The update is the first of the queue.');
    expect((await textsOf(CHANNELS.threads))[0]).toBe(SECOND);
    expect(await page.getByRole('article').first().innerText()).toContain(SECOND);
  });

  test('moves one up, and the queue is in the order of the page', async () => {
    await cardOf(FIRST).getByRole('button', { name: 'Move one up' }).click();
    expect(await saying()).toBe('The updates were reordered.');
    const shown = await page.getByRole('article').locator('p.lines').allInnerTexts();
    expect(await textsOf(CHANNELS.threads)).toEqual(shown);
    expect(shown.indexOf(FIRST)).toBe(0);
    expect(await cardOf(FIRST).getByRole('button', { name: 'Move one up' }).count()).toBe(0);
  });

  test('changes one into a text that looks like a page, and sees it as it was typed', async () => {
    const [{ id } = { id: '' }] = (await waitingFor(CHANNELS.threads)).filter(({ text }) => text === FIRST);
    await cardOf(FIRST).getByText('Change the text').click();
    await cardOf(FIRST).getByLabel('New text').fill(MARKUP);
    await cardOf(FIRST).getByRole('button', { name: 'Save the text' }).click();
    expect(await saying()).toBe('The update was changed.');
    expect((await waitingFor(CHANNELS.threads)).find((post) => post.id === id)?.text).toBe(MARKUP);
    const card = page.getByRole('article').filter({ hasText: id }).first();
    expect(await card.locator('b, script').count()).toBe(0);
    expect(await card.getByLabel('New text').inputValue()).toBe(MARKUP);
    expect(await inspect(page, '10-demo-posts', [{ width: 360, colorScheme: 'light' }])).toEqual([]);
  });

  test('deletes both, and they are gone', async () => {
    for (const text of [SECOND, 'Rye']) {
      const card = page.getByRole('article').filter({ hasText: text }).first();
      await card.getByRole('button', { name: 'Delete' }).click();
      expect(await saying()).toBe('The update was deleted.');
    }
    const left = await textsOf(CHANNELS.threads);
    expect(left).not.toContain(SECOND);
    expect(left).not.toContain(MARKUP);
  });

  test('is told in the words of the answer why nothing was posted', async () => {
    await write('To nobody', []);
    await seeHeading(page, 'The bridge says no');
    expect(await page.getByRole('alert').innerText()).toBe('The parameter profile_ids is missing.');
    await follow(page, 'To the posts');
    await seeHeading(page, 'Posts that wait');
  });
});
