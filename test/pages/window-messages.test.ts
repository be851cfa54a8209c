import { startSystem, type System } from '../support/bridge/system.ts';
import { browserOf } from '../owners/support/people.ts';

/** Nothing of a page speaks with other windows (RFC 9700 §4.17, docs/threats.md F143). */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.stop());

const SPEAKS =
  /postMessage|onmessage|\bopener\b|BroadcastChannel|window\.open|addEventListener\(["']message["']/;

const scriptsOf = (html: string) =>
  [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, address = '']) => address);

test('row F143 no page and no script of a page sends or hears messages of other windows', async () => {
  const browser = await browserOf(system);
  const paths = [
    '/',
    '/apps',
    `/apps/${system.app.clientId}`,
    '/lifecycle',
    '/account',
    '/sign-in?x=1',
    '/callback',
  ];
  const pages = await Promise.all(paths.map(async (path) => browser.get(system.bridgeUrl + path)));
  const scripts = [...new Set(pages.flatMap(({ body }) => scriptsOf(body)))];
  const named = scripts.map((address) => address.split('?')[0]);
  const known = ['/assets/local-times.js', '/assets/htmx.js', '/assets/htmx-sse.js', '/assets/live.js'];
  expect(named).toEqual(expect.arrayContaining(known.slice(0, 1)));
  const addresses = [...new Set([...scripts, ...known])];
  const texts = await Promise.all(
    addresses.map(async (address) => (await fetch(system.bridgeUrl + address)).text()),
  );
  expect(texts.filter((text) => text.length < 100)).toEqual([]);
  expect([...pages.map(({ body }) => body), ...texts].filter((text) => SPEAKS.test(text))).toEqual([]);
});
