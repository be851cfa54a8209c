import type { Browser, Page } from 'playwright-core';
import { buildProgram } from '../processes/running-program.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../processes/whole-system.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from './chromium.ts';
import { inspect } from './inspect.ts';
import { allowAll, press, seeHeading } from './steps.ts';

let place: Place;
let system: WholeSystem;
let browser: Browser;
let visitor: Visitor;
let page: Page;

/** The old authorize address of the demo app, changed by what a test is about. */
function authorizeUrl(changes: Record<string, string> = {}): string {
  const { clientId, callback } = system.app;
  const asked = { client_id: clientId, redirect_uri: callback, response_type: 'code', ...changes };
  return `${system.bridgeUrl}/oauth2/authorize?${new URLSearchParams(asked).toString()}`;
}

type Described = [name: string, address: () => string, words: [title: string, next: RegExp]];

/** Pages outside the flow, one for each template: its address, its heading, and words that say what to do next. */
const templates: Described[] = [
  ['the start of the bridge', () => `${system.bridgeUrl}/`, ['grantbridge', /start from the app/]],
  ['a refusal of the bridge', () => `${system.bridgeUrl}/nowhere`, ['There is no such page', /go back/i]],
  [
    'the start of the modern side',
    () => `${system.modernUrl}/`,
    ['Publishing account', /start from the app/i],
  ],
  [
    'a refusal of the modern side',
    () => `${system.modernUrl}/auth?client_id=unknown`,
    ['We do not know this app', /not registered/],
  ],
  ['a refusal of the demo', () => `${system.demoUrl}/nowhere`, ['There is no such page', /first step/]],
];

/** More refusals in the same templates. */
const refusals: Described[] = [
  [
    'an unknown app',
    () => authorizeUrl({ client_id: 'unknown' }),
    ['This app cannot be connected', /go back to the app/i],
  ],
  [
    'a foreign callback',
    () => authorizeUrl({ redirect_uri: 'https://elsewhere.example/' }),
    ['This app cannot be connected', /go back to the app/i],
  ],
  [
    'a wrong request of an app without an address',
    () => authorizeUrl({ response_type: 'token' }),
    ['This app cannot be connected', /asked for a kind of answer that is not given here/],
  ],
  [
    'an old approval',
    () => `${system.bridgeUrl}/approve/${'0'.repeat(24)}`,
    ['This page has expired', /start again/],
  ],
  [
    'a return that nobody waits for',
    () => `${system.bridgeUrl}/callback?code=x&state=y`,
    ['This sign-in cannot be finished', /start again/],
  ],
  ['an unknown modern address', () => `${system.modernUrl}/nowhere`, ['There is no such page', /mistyped/]],
  [
    'a return to the demo without a session',
    () => `${system.demoUrl}/connect/buffer/callback?code=1/x`,
    ['This authorization does not belong to this browser', /connect again/i],
  ],
];

/** Opens an address and reads the heading and the next step. */
async function open(address: string, [title, next]: Described[2]) {
  await page.goto(address);
  await seeHeading(page, title);
  expect(await page.getByRole('main').innerText()).toMatch(next);
}

(browserMissing ? describe.skip : describe)('the pages beside the flow', () => {
  beforeAll(async () => {
    await buildProgram();
    place = await choosePlace();
    [system, browser] = await Promise.all([startWholeSystem(place.settings), openChromium()]);
  });
  afterAll(async () => {
    await browser.close();
    const code = await system.stop();
    place.remove();
    expect({ code, complaints: system.complaints() }).toEqual({ code: 0, complaints: '' });
  });
  beforeEach(async () => {
    visitor = await newVisitor(browser);
    page = await visitor.newTab();
  });
  afterEach(async () => {
    await visitor.leave();
    expect(visitor.complaints).toEqual([]);
  });

  test.each(templates)('%s is shown readably and says what to do next', async (name, address, words) => {
    await open(address(), words);
    expect(await inspect(page, name.replaceAll(' ', '-'))).toEqual([]);
  });

  test.each(refusals)(
    '%s is refused with a page that says what to do next',
    async (_name, address, words) => {
      await open(address(), words);
    },
  );

  test('the code page shows a code that one click selects', async () => {
    await page.goto(authorizeUrl());
    await allowAll(page, system.person);
    await seeHeading(page, 'Your code');
    await page.locator('code').click();
    const code = await page.locator('code').innerText();
    expect(code).toMatch(/^1\/[A-Za-z0-9]{32}$/);
    expect(await page.evaluate('getSelection().toString().trim()')).toBe(code);
    expect(await inspect(page, 'code')).toEqual([]);
  });

  test('a no without a callback to go to says that nothing was connected', async () => {
    await page.goto(authorizeUrl());
    await press(page, 'Deny');
    await seeHeading(page, 'Not connected');
    expect(await page.getByRole('main').innerText()).toMatch(
      /was not allowed to use your account.*start again from the app/is,
    );
  });

  test('the Back button after a connection leads to a page with a way to the own apps', async () => {
    await page.goto(authorizeUrl());
    await allowAll(page, system.person);
    await seeHeading(page, 'Your code');
    await page.goBack();
    await seeHeading(page, 'This page has expired');
    expect(await page.getByRole('link', { name: 'Your apps' }).getAttribute('href')).toBe(
      `${system.bridgeUrl}/apps`,
    );
    expect(await inspect(page, 'modern-expired')).toEqual([]);
  });

  test.each([
    ['the bridge', () => system.bridgeUrl],
    ['the modern side', () => system.modernUrl],
    ['the demo', () => system.demoUrl],
  ])('the policy of the pages of %s lets the icon in', async (_name, origin) => {
    await page.goto(origin());
    const decoded = await page.evaluate(`(async () => {
      const image = new Image();
      image.src = document.querySelector('link[rel=icon]').href;
      await image.decode();
      return image.complete;
    })()`);
    expect(decoded).toBe(true);
    expect((await page.request.get(`${origin()}/favicon.ico`)).status()).toBe(200);
  });

  test('an approval that was opened in another browser is refused there and goes on in its own', async () => {
    await page.goto(authorizeUrl());
    const other = await newVisitor(browser);
    const tab = await other.newTab();
    await tab.goto(page.url());
    await seeHeading(tab, 'This page cannot be used here');
    await other.leave();
    await allowAll(page, system.person);
    await seeHeading(page, 'Your code');
  });
});
