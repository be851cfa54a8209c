import { createHash } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { confirming, createKey } from '../modern/support/api-keys.ts';
import { newSecret, registered, tokensOf } from '../modern/support/clients.ts';
import {
  apiStatus,
  authorizationUrl,
  DEMO,
  exchange,
  obtainTokens,
  REDIRECT_URI,
  type Running,
  runModern,
} from '../modern/support/modern.ts';
import { sendForm, signedIn } from '../modern/support/settings.ts';
import { browserMissing, openChromium } from './chromium.ts';
import { inspect } from './inspect.ts';
import { follow, press, seeHeading } from './steps.ts';

let modern: Running;
let base: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

const VERIFIER = 'a-verifier-of-the-test-that-is-long-enough-for-pkce';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** The app that is tried lives nowhere; a page of this server that does not exist takes its place. */
const callback = () => `${base}/callback`;

/** The words by which a person knows what has the focus: its label, its text, or its value. */
async function focused(): Promise<string> {
  const words = await page.locator(':focus').evaluateAll((elements) =>
    elements.map((element) => {
      const field = element as unknown as { labels?: Array<{ innerText: string }>; innerText: string };
      return field.labels?.[0]?.innerText ?? field.innerText;
    }),
  );
  return words[0]?.trim() ?? '';
}

/** Presses Tab until what these words name has the focus. */
async function tabTo(words: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    const here = await focused();
    if (typeof words === 'string' ? here === words : words.test(here)) return;
  }
  throw new Error(`no way by Tab to ${String(words)} on ${page.url()}`);
}

/** Goes to a link or a button by Tab, presses Enter, and waits for the page with this heading. */
async function choose(words: string | RegExp, heading: string): Promise<void> {
  await tabTo(words);
  await page.keyboard.press('Enter');
  await seeHeading(page, heading);
}

async function typeInto(label: string, text: string): Promise<void> {
  await tabTo(label);
  await page.keyboard.type(text);
}

/** Types into the field that has the focus as soon as the page is open. */
async function typeFirst(text: string): Promise<void> {
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(text);
}

/** What is selected by Tab to the field and Ctrl+A: a person would press Ctrl+C now. */
async function selectedIn(label: string): Promise<string> {
  await tabTo(label);
  await page.keyboard.press('Control+A');
  return page.locator(':focus').evaluate((element) => {
    const field = element as unknown as { value: string; selectionStart: number; selectionEnd: number };
    return field.value.slice(field.selectionStart, field.selectionEnd);
  });
}

async function signIn(): Promise<void> {
  await page.goto(`${base}/settings`);
  await typeFirst(DEMO.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(DEMO.password);
  await page.keyboard.press('Enter');
  await seeHeading(page, 'API');
}

async function registerPublicClient(name: string): Promise<string> {
  await choose('New client', 'New OAuth client');
  await typeInto('Name', name);
  await tabTo(/^Confidential/);
  await page.keyboard.press('ArrowDown');
  await typeInto('Redirect URIs', callback());
  await choose('Register client', `“${name}” is registered`);
  const clientId = await selectedIn('Client ID');
  await choose('To the client', name);
  await choose('API', 'API');
  return clientId;
}

/** From the app's link over the consent page back to the app, and then its tokens. */
async function allow(clientId: string): Promise<string> {
  const asked = { client_id: clientId, redirect_uri: callback(), code_challenge: CHALLENGE };
  const url = authorizationUrl(base, asked);
  await page.goto(url);
  await tabTo('Allow');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${callback()}?**`);
  const code = new URL(page.url()).searchParams.get('code') ?? '';
  const extra = { client_id: clientId, redirect_uri: callback() };
  const { body } = await exchange(base, { code, verifier: VERIFIER }, extra);
  return String(body['access_token']);
}

(browserMissing ? describe.skip : describe)('the settings in a browser', () => {
  beforeAll(async () => {
    [modern, browser] = await Promise.all([runModern(), openChromium()]);
    base = modern.server.url;
  });
  afterAll(async () => {
    await browser.close();
    await modern.stop();
  });
  afterEach(() => context.close());

  test('do all they are for without script and by keyboard alone', async () => {
    context = await browser.newContext({ javaScriptEnabled: false });
    page = await context.newPage();
    await signIn();

    await choose('New key', 'New API key');
    await typeFirst('My server');
    await choose('Create key', 'Your new API key');
    const old = await selectedIn('Key');
    expect(await apiStatus(base, old)).toBe(200);
    await choose('I have copied the key', 'API');
    await choose(/^Replace/, 'Replace the key “My server”?');
    await choose('Replace key', 'Your new API key');
    const key = await selectedIn('Key');
    expect([await apiStatus(base, old), await apiStatus(base, key)]).toEqual([401, 200]);
    await choose('I have copied the key', 'API');

    const clientId = await registerPublicClient('Keyboard app');
    const accessToken = await allow(clientId);
    expect(await apiStatus(base, accessToken)).toBe(200);
    await page.goto(`${base}/settings/api`);
    await choose('Connected apps', 'Connected apps');
    await choose(/^Revoke/, 'Revoke “Keyboard app”?');
    await choose('Revoke', 'Connected apps');
    expect(await page.getByRole('status').innerText()).toContain('The app was revoked');
    expect(await apiStatus(base, accessToken)).toBe(401);
    await choose('Sign out', 'Sign in');
  });

  test('hold in every width and both schemes, with nothing for axe to find', async () => {
    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
    const look = async (name: string) => expect(await inspect(page, `settings-${name}`)).toEqual([]);
    await signIn();
    await obtainTokens({ base, parameters: { scope: 'account:read posts:write offline_access' } });

    await follow(page, 'New key');
    await page.getByLabel('Name').fill('Night server of the whole company');
    await press(page, 'Create key');
    await look('key');
    await follow(page, 'I have copied the key');
    await follow(page, 'New client');
    await page.getByLabel('Name').fill('Weekly planner');
    await page.getByLabel('Redirect URIs').fill('http://planner.example/cb\nplanner://cb');
    await press(page, 'Register client');
    await look('client-refused');
    await page.getByLabel('Redirect URIs').fill('https://planner.example/oauth/callback');
    await press(page, 'Register client');
    await follow(page, 'I have copied the secret');
    await follow(page, 'New secret');
    await press(page, 'Create secret');
    await follow(page, 'I have copied the secret');
    await look('client');
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await look('api');
    await follow(page, 'Connected apps');
    await look('apps');
    await page.getByRole('link', { name: /^Revoke/ }).click();
    await look('app-revoke');
  });

  test('hold words as long as anybody can enter', async () => {
    const walker = await signedIn(base);
    const name = 'W'.repeat(60);
    await createKey(base, walker, name);
    const host = ['a', 'b', 'c'].map((letter) => letter.repeat(62)).join('.');
    const client = await registered(base, walker, {
      name,
      redirect_uris: `https://${host}/cb\n${REDIRECT_URI}`,
    });
    await newSecret(base, walker, client);
    await tokensOf(base, walker, client);
    const account = await walker.get(`${base}/settings/account`);
    await sendForm(walker, account, { action: '/settings/account/name', values: { name: 'W'.repeat(100) } });
    const replace = await confirming(base, walker, /^Replace/);

    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
    await signIn();
    const own = ['api', 'apps', 'account', `apps/${client.id}/revoke`].map((path) => `/settings/${path}`);
    const paths = [...own, client.path, `${client.path}/delete`, new URL(replace.url).pathname];
    const tooWide: string[] = [];
    for (const address of [
      ...paths.map((path) => base + path),
      authorizationUrl(base, { client_id: client.id }),
    ]) {
      await page.goto(address);
      for (const width of [360, 800, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
          tooWide.push(`${address} at ${width}`);
      }
    }
    expect(tooWide).toEqual([]);
  });
});
