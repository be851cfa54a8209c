import { startDemo, type Demo } from '../../../src/demo/integration.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { walkUntil } from '../../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type RecordingProxy, startRecordingProxy } from '../../support/servers/recording-proxy.ts';
import { buildProgram, runCommand } from '../running-program.ts';
import { connectDemo, press, type Refusal } from '../walks.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../whole-system.ts';

/** A demo integration of its own, which reaches the running bridge over a line that a test can cut. */

let place: Place;
let system: WholeSystem;
let demo: Demo;
let line: RecordingProxy;
let linePort: number;
let secret: string;
let browser: CookieWalker;

async function startOwnDemo(): Promise<Demo> {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const given = ['--name', 'Cut-off app', '--owner', system.person.login];
  const callback = ['--callback', `${publicUrl}/connect/buffer/callback`];
  const registered = await runCommand(place.settings, ['apps', 'add', ...given, ...callback]);
  secret = registered['client_secret'] ?? '';
  const app = { clientId: registered['client_id'] ?? '', clientSecret: secret };
  const settings = { host: '127.0.0.1', port, publicUrl, bridgeUrl: line.origin, ...app, logLevel: 'error' };
  return startDemo(settings, createLogger({ level: 'error', name: 'demo' }));
}

beforeAll(async () => {
  await buildProgram();
  place = await choosePlace();
  system = await startWholeSystem(place.settings);
  linePort = await freePort();
  line = await startRecordingProxy(linePort, system.bridgeUrl);
  demo = await startOwnDemo();
});
afterAll(async () => {
  await demo.close();
  await line.close();
  await system.stop();
  place.remove();
});
beforeEach(() => {
  browser = new CookieWalker();
});

const textOf = (page: Page) => page.body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const connect = (refuse?: Refusal) =>
  connectDemo({ demoUrl: demo.url, person: system.person }, browser, refuse);

async function cutLine(during: () => Promise<Page>): Promise<Page> {
  await line.close();
  const page = await during();
  line = await startRecordingProxy(linePort, system.bridgeUrl);
  return page;
}

/** The address at which the bridge sends the browser back, not opened yet. */
async function returnAddress(): Promise<string> {
  const { person } = system;
  const until = `${demo.url}/connect/buffer/callback`;
  return (await walkUntil(`${demo.url}/connect/buffer`, { browser, person, until })).location;
}

describe('the demo integration', () => {
  test('shows the profiles and every step, and nowhere the secret of its app', async () => {
    const page = await connect();
    expect(page.status).toBe(200);
    expect(textOf(page)).toContain('Profiles (12)');
    expect(page.body).toMatch(/client_secret=•+/);
    expect(page.body).not.toContain(secret);
    const steps = [
      'sends the browser to',
      'sends the browser back',
      'exchanges the code',
      'whose token it is',
    ];
    for (const step of steps) expect(page.body).toContain(step);
  });

  test.each(['approval', 'consent'] as const)(
    'a no at the %s issues nothing and is no error',
    async (refuse) => {
      const page = await connect(refuse);
      expect({ url: page.url, status: page.status }).toEqual({
        url: expect.stringContaining('?error=access_denied'),
        status: 200,
      });
      expect(textOf(page)).toContain('Access was denied');
      expect((await browser.get(`${demo.url}/flow`)).location).toBe('/');
    },
  );

  test('a bridge that is down at the start is named, with what to do, and the next try goes well', async () => {
    const page = await cutLine(() => browser.get(`${demo.url}/connect/buffer`));
    expect(page.status).toBe(502);
    expect(textOf(page)).toContain('The bridge does not answer');
    expect(textOf(page)).toContain('Check that the bridge is running (npm start), then try again.');
    expect(textOf(await connect())).toContain('Profiles (12)');
  });

  test('a bridge that goes down before the exchange is named too', async () => {
    const address = await returnAddress();
    const page = await cutLine(() => browser.get(address));
    expect(page.status).toBe(502);
    expect(textOf(page)).toContain('The bridge does not answer');
  });

  test('a bridge that is down for a read leaves the token, and the next read goes well', async () => {
    const flow = await connect();
    const page = await cutLine(() => press(browser, flow, '/profiles'));
    expect(page.status).toBe(502);
    expect(textOf(page)).toContain('No answer came.');
    expect(textOf(await press(browser, page, '/profiles'))).toContain('Profiles (12)');
  });

  test('after deauthorizing, the same token meets a 401 page that names the next step', async () => {
    const flow = await connect();
    const given = await press(browser, flow, '/deauthorize');
    expect(textOf(given)).toContain('The access was given back.');
    const page = await press(browser, given, '/profiles');
    expect(page.status).toBe(401);
    expect(textOf(page)).toContain('The token is no longer accepted');
    expect(textOf(page)).toContain('Connect again to get a new token.');
    expect(page.body).toContain('HTTP/1.1 401 Unauthorized');
    expect(textOf(await connect())).toContain('Profiles (12)');
  });

  test('a reload of the callback page is explained, and the token from the first time still works', async () => {
    const address = await returnAddress();
    await browser.get(address);
    const page = await browser.follow(await browser.get(address));
    expect(page.status).toBe(400);
    expect(textOf(page)).toContain('reloading the callback page sends it a second time');
    expect(textOf(await press(browser, page, '/profiles'))).toContain('Profiles (12)');
  });

  test('a code that was used up elsewhere is explained, with a way to a new one', async () => {
    const address = (await returnAddress()).replace(/code=[^&]*/, `code=1/${'x'.repeat(32)}`);
    const page = await browser.get(address);
    expect(page.status).toBe(400);
    expect(textOf(page)).toContain('The code was not accepted');
    expect(textOf(page)).toContain('Connect again to get a new code.');
  });

  test('a form that another site sends is refused', async () => {
    await connect();
    const page = await browser.post(`${demo.url}/deauthorize`, {}, { origin: 'https://elsewhere.example' });
    expect(page.status).toBe(403);
  });

  test('a bridge that goes down at a post is named, with the word to look first', async () => {
    await connect();
    const posts = await browser.get(`${demo.url}/posts`);
    expect(textOf(posts)).toContain('Posts that wait');
    const page = await cutLine(() => browser.post(posts.url, { text: 'x' }, { origin: demo.url }));
    expect(page.status).toBe(502);
    expect(textOf(page)).toContain('Look at the posts of the profile before you send it again.');
  });

  test.each([
    [
      'is larger than any post',
      '/posts',
      { text: 'x'.repeat(300_000) },
      400,
      'The demo cannot read this form',
    ],
    ['names an update in a strange way', '/posts/..%2Fuser/delete', {}, 404, 'There is no such page'],
    ['names an update that is not there', `/posts/${'f'.repeat(24)}/delete`, {}, 404, 'The bridge says no'],
    ['names an order of nothing', '/posts/order', { order: '../x' }, 400, 'The demo cannot read this form'],
    ['has no text', `/posts/${'f'.repeat(24)}/change`, {}, 400, 'The bridge says no'],
  ])('a form that %s is answered in words', async (_what, path, fields, status, words) => {
    await connect();
    const page = await browser.post(`${demo.url}${path}`, fields, { origin: demo.url });
    expect([page.status, textOf(page)]).toEqual([status, expect.stringContaining(words)]);
  });

  test('without a connection no page of posts is shown and nothing is sent', async () => {
    expect((await browser.get(`${demo.url}/posts`)).location).toBe('/');
    await press(browser, await connect(), '/deauthorize');
    const page = await browser.post(`${demo.url}/posts`, { text: 'x' }, { origin: demo.url });
    expect([page.status, page.location]).toEqual([303, '/flow']);
  });
});
