import { type Demo, startDemo } from '../../src/demo/integration.ts';
import { MOST_SESSIONS } from '../../src/demo/session-store.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { freePort } from '../support/servers/free-port.ts';

/** What the demo keeps of those who open it. */

const BEGUN = 'The app sends the browser to the authorization page';

let system: System;
let demo: Demo;

beforeAll(async () => {
  system = await startSystem();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const app = { clientId: 'an-app', clientSecret: 'a-secret' };
  const place = { host: '127.0.0.1', port, publicUrl, bridgeUrl: system.bridgeUrl, logLevel: 'error' };
  demo = await startDemo({ ...place, ...app }, createLogger({ level: 'error', name: 'demo' }));
});
afterAll(async () => {
  await demo.close();
  await system.stop();
});

test.each(['/', '/flow', '/posts', '/nothing', '/?error=lost'])(
  'a look at %s keeps nothing',
  async (path) => {
    const { headers } = await fetch(demo.url + path, { redirect: 'manual' });
    expect(headers.get('set-cookie')).toBeNull();
  },
);

const begin = async () => {
  const browser = new CookieWalker();
  const { location } = await browser.get(`${demo.url}/connect/buffer`);
  expect(location).toContain('/oauth2/authorize');
  return browser;
};
const shows = async (browser: CookieWalker) =>
  (await browser.get(`${demo.url}/nothing`)).body.includes(BEGUN);

test('of very many sessions the least recently used are forgotten', async () => {
  const [idle, used] = [await begin(), await begin()];
  expect([await shows(idle), await shows(used)]).toEqual([true, true]);
  // oxlint-disable-next-line no-await-in-loop -- one after the other, as the order counts
  for (let count = 1; count < MOST_SESSIONS; count += 1) await begin();
  expect([await shows(idle), await shows(used)]).toEqual([false, true]);
});
