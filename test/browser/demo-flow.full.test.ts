import type { Browser, Page } from 'playwright-core';
import { buildProgram } from '../processes/running-program.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../processes/whole-system.ts';
import { browserMissing, newVisitor, openChromium, type Visitor } from './chromium.ts';
import { inspect } from './inspect.ts';
import { allowAll, follow, press, reachConsent, seeHeading, signIn, startAt } from './steps.ts';

let place: Place;
let system: WholeSystem;
let browser: Browser;
let visitor: Visitor;
let page: Page;

const look = async (name: string) => expect(await inspect(page, name)).toEqual([]);

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

(browserMissing ? describe.skip : describe)('a person with a browser', () => {
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
    page.setDefaultTimeout(30_000);
  });
  afterEach(async () => {
    await visitor.leave();
    expect(visitor.complaints).toEqual([]);
  });

  test('connects the demo integration over approval, sign-in and consent and sees twelve profiles', async () => {
    await page.goto(system.demoUrl);
    await look('1-demo-start');
    await follow(page, 'Connect');
    await seeHeading(page, 'Connect “Demo integration” to your account?');
    await look('2-approval');
    await press(page, 'Allow');
    await look('3-sign-in');
    await signIn(page, { ...system.person, password: 'wrong' });
    await look('4-sign-in-failed');
    await signIn(page, system.person);
    await look('5-consent');
    await press(page, 'Allow');
    await seeHeading(page, 'Profiles (12)');
    await look('6-demo-connected');
  });

  test('gives the access back, meets the 401 page, and connects again from there', async () => {
    await startAt(page, system.demoUrl);
    await allowAll(page, system.person);
    await press(page, 'Deauthorize this app');
    expect(await page.getByRole('status').innerText()).toContain('The access was given back');
    await look('7-demo-deauthorized');
    await press(page, 'Read the profiles again');
    await seeHeading(page, 'The token is no longer accepted');
    await look('8-demo-401');
    await follow(page, 'Connect again');
    await press(page, 'Allow');
    await press(page, 'Allow');
    await seeHeading(page, 'Profiles (12)');
  });

  test('says no on the approval page and is told by the demo that nothing was connected', async () => {
    await startAt(page, system.demoUrl);
    await press(page, 'Deny');
    await seeHeading(page, 'Access was denied');
    await look('9-demo-denied');
  });

  test.each(['sign-in', 'consent'])('says no on the modern %s page with the same result', async (at) => {
    await startAt(page, system.demoUrl);
    if (at === 'consent') await reachConsent(page, system.person);
    else await press(page, 'Allow');
    await press(page, at === 'consent' ? 'Deny' : 'Cancel');
    await seeHeading(page, 'Access was denied');
  });

  test('goes back after a no and cannot turn it into a yes', async () => {
    await startAt(page, system.demoUrl);
    const approval = page.url();
    await press(page, 'Deny');
    await seeHeading(page, 'Access was denied');
    await page.goBack();
    if ((await page.getByRole('button', { name: 'Allow' }).count()) > 0) await press(page, 'Allow');
    expect(page.url()).toBe(approval);
    await seeHeading(page, 'This page has expired');
    await page.goto(system.demoUrl);
    expect(await page.getByRole('link', { name: 'Show the last flow' }).count()).toBe(0);
  });

  test('goes back after a yes and says yes again, or finds the way to start again', async () => {
    await startAt(page, system.demoUrl);
    await press(page, 'Allow');
    await seeHeading(page, 'Sign in');
    await page.goBack();
    if ((await page.getByRole('button', { name: 'Allow' }).count()) > 0) {
      await press(page, 'Allow');
      await seeHeading(page, 'Sign in');
      return;
    }
    await seeHeading(page, 'This page has expired');
    expect(await page.getByRole('main').innerText()).toContain('start again');
  });

  test('presses Allow twice and is connected all the same', async () => {
    await startAt(page, system.demoUrl);
    await page.getByRole('button', { name: 'Allow', exact: true }).dblclick();
    await signIn(page, system.person);
    await press(page, 'Allow');
    await seeHeading(page, 'Profiles (12)');
  });

  test('begins twice in the demo and is told in the older tab that the newer one counts', async () => {
    const newer = await visitor.newTab();
    await startAt(page, system.demoUrl);
    await startAt(newer, system.demoUrl);
    await allowAll(newer, system.person);
    await seeHeading(newer, 'Profiles (12)');
    await press(page, 'Allow');
    await press(page, 'Allow');
    await seeHeading(page, 'This authorization does not belong to this browser');
    expect(await page.getByRole('main').innerText()).toContain('Connect again in this browser');
  });

  test('works on two apps in two tabs at once and finishes both', async () => {
    const other = await visitor.newTab();
    const tabs = [page, other];
    const { clientId, callback } = system.app;
    const byHand = `client_id=${clientId}&response_type=code&redirect_uri=${callback}`;
    await startAt(page, system.demoUrl);
    await other.goto(`${system.bridgeUrl}/oauth2/authorize?${byHand}`);
    for (const tab of tabs) await press(tab, 'Allow');
    for (const tab of tabs) await signIn(tab, system.person);
    for (const tab of tabs) await press(tab, 'Allow');
    await seeHeading(page, 'Profiles (12)');
    await seeHeading(other, 'Your code');
  });
});
