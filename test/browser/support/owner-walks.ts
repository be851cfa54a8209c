import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { CAMPAIGN, DESK, NEWS } from '../../../src/demo-data/apps.ts';
import { DANA } from '../../owners/support/people.ts';
import { type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from '../chromium.ts';
import { allow, arriveAt } from './arrive.ts';
import { curl } from './curl.ts';
import { type DemoWorld, startDemoWorld } from './demo-world.ts';
import { follow, press, seeHeading } from '../steps.ts';

/** An owner's ways, from the sign-in to what the way is for, in a real browser on the data of the demo. */

const OLD_USER = { id: '4f1c22d0b7a34e9c11000001' };

let oldBackend: OldBackend;
let world: DemoWorld;
let browser: Browser;
let visitor: Visitor;
let page: Page;

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

async function arrive(options: { javaScriptEnabled?: boolean } = {}): Promise<void> {
  visitor = await newVisitor(browser, options);
  page = await visitor.newTab();
  page.setDefaultTimeout(30_000);
}

const at = async (path: string) => void (await page.goto(`${world.bridgeUrl}${path}`));
const main = () => page.getByRole('main').innerText();

/** The rehearsal begins two seconds after the button. */
async function untilRefused(token: string): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    if ((await world.call(token)).status === 401) return;
    await pause(200);
  }
  throw new Error('the rehearsal refuses nothing');
}

/** What a person copies out of a field. */
const copied = (label: string) => page.getByLabel(label, { exact: true }).inputValue();

async function connectWaiting(): Promise<void> {
  const { token } = world.tokenOf('dana', CAMPAIGN.clientId);
  expect((await world.call(token)).status).not.toBe(200);
  await arriveAt(page, `${world.bridgeUrl}/apps`, DANA);
  await page.getByRole('button', { name: /^Connect.*Autumn campaign/ }).click();
  await allow(page);
  await page.waitForURL(/\/apps/);
  await at(`/apps/${CAMPAIGN.clientId}`);
  expect(await main()).toMatch(/\d tokens?\s+connected/);
  expect((await world.call(token)).status).toBe(200);
}

async function registerAndCall(): Promise<void> {
  await arriveAt(page, `${world.bridgeUrl}/apps/register`, DANA);
  await page.getByLabel('Name').fill('Night printer');
  const callback = `${world.bridgeUrl}/callback-of-the-app`;
  await page.getByLabel('Callback URLs').fill(callback);
  await press(page, 'Register app');
  const [clientId, secret] = [await copied('Client ID'), await copied('Client secret')];
  const asked = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: callback,
  });
  await at(`/oauth2/authorize?${asked.toString()}`);
  await press(page, 'Allow');
  await allow(page);
  await page.waitForURL((url) => url.href.startsWith(`${callback}?code=`));
  const code = new URL(page.url()).searchParams.get('code') ?? '';
  const fields = { client_id: clientId, client_secret: secret, redirect_uri: callback, code };
  const sent = Object.entries({ ...fields, grant_type: 'authorization_code' });
  const answer = await curl(
    ...sent.flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`]),
    `${world.bridgeUrl}/1/oauth2/token.json`,
  );
  const { access_token: token } = JSON.parse(answer) as { access_token: string };
  const live = await visitor.newTab();
  await live.goto(`${world.bridgeUrl}/apps/${clientId}/live`);
  await live.getByText('Listening.').waitFor();
  const profiles = await curl(
    '-A',
    'night-printer/0.1',
    `${world.bridgeUrl}/1/profiles.json?access_token=${token}`,
  );
  expect(JSON.parse(profiles)).toHaveLength(12);
  // Nobody touches the page.
  await live.getByRole('row', { name: /night-printer/ }).waitFor({ timeout: 30_000 });
  await world.bridge.context.usage.flush();
  await at(`/apps/${clientId}/calls`);
  expect(await main()).toContain('night-printer/0.1');
  expect(await main()).not.toContain(token);
}

/** Presses twice while the answer is under way. Of two requests the browser shows only the second answer. */
async function pressTwice(name: string): Promise<void> {
  const waiting: Array<() => void> = [];
  const pressed = new Promise<void>((resolve) => waiting.push(resolve));
  await page.route('**', async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    await pressed;
    await route.fulfill({ response }).catch(() => undefined);
  });
  const button = page.getByRole('button', { name, exact: true });
  await button.scrollIntoViewIfNeeded();
  const { x = 0, y = 0 } = (await button.boundingBox()) ?? {};
  for (const _time of [1, 2]) {
    await page.mouse.click(x + 5, y + 5);
    await pause(200);
  }
  for (const goOn of waiting) goOn();
}

/** The first answer has the secret. */
async function makeByDoubleClick(): Promise<void> {
  await arriveAt(page, `${world.bridgeUrl}/apps/register`, DANA);
  await page.getByLabel('Name').fill('Hasty printer');
  await page.getByLabel('Callback URLs').fill(`${world.bridgeUrl}/callback-of-the-app`);
  await pressTwice('Register app');
  await seeHeading(page, '“Hasty printer” is registered');
  expect(await copied('Access token for your own account')).toMatch(/^1\//);
  await at(`/apps/${await copied('Client ID')}/secrets`);
  await pressTwice('Make a new secret');
  await seeHeading(page, 'Your new client secret');
}

async function rehearseRetirement(): Promise<void> {
  const { token } = world.tokenOf('sam', NEWS.clientId);
  oldBackend.addToken(OLD_USER.id, token);
  expect((await world.call(token)).status).toBe(200);
  await arriveAt(page, `${world.bridgeUrl}/apps/${NEWS.clientId}/rehearse`, DANA);
  await press(page, 'Start the rehearsal');
  await seeHeading(page, 'Retirement: the rehearsal begins in a moment');
  await untilRefused(token);
  await world.bridge.context.usage.flush();
  await follow(page, 'Look again');
  expect(await main()).toMatch(/1 call failed so far[^]*profiles\.json[^]*weekly-cron/);
  await press(page, 'End the rehearsal now');
  expect((await world.call(token)).status).toBe(200);
}

async function connectWithoutScript(): Promise<void> {
  await visitor.leave();
  await arrive({ javaScriptEnabled: false });
  const { token } = world.tokenOf('dana', DESK.clientId);
  await arriveAt(page, `${world.bridgeUrl}/apps`, DANA);
  await at(`/apps/${DESK.clientId}`);
  await press(page, 'Connect');
  await allow(page);
  await page.waitForURL(/\/apps/);
  expect(await main()).toMatch(/\d tokens?\s+connected/);
  expect((await world.call(token)).status).toBe(200);
}

const WALKS = {
  'finds the token that waits, connects it at the account and sees it working': connectWaiting,
  'registers an app, runs the old flow with the copied values and sees the call': registerAndCall,
  'makes an app and a secret by double clicks and reads what is told once': makeByDoubleClick,
  'rehearses the retirement and reads which of the calls will fail': rehearseRetirement,
  'connects without script too': connectWithoutScript,
};

/** Walks these ways, each in a browser of its own. */
export function walkAsOwner(walks: ReadonlyArray<keyof typeof WALKS>): void {
  (browserMissing ? describe.skip : describe)('an owner with a browser', () => {
    beforeAll(async () => {
      // What it alone answers fails in a rehearsal.
      oldBackend = await startOldBackend({ accounts: [{ tokens: [], user: OLD_USER }] });
      const env = { LEGACY_BACKEND_URL: oldBackend.url };
      [world, browser] = await Promise.all([startDemoWorld({ env }), openChromium()]);
    });
    afterAll(async () => {
      await browser.close();
      await world.stop();
      await oldBackend.close();
    });
    beforeEach(() => arrive());
    afterEach(async () => {
      await visitor.leave();
      expect(visitor.complaints).toEqual([]);
    });
    for (const walk of walks) test(walk, WALKS[walk]);
  });
}
