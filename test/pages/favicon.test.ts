import { type Demo, startDemo } from '../../src/demo/integration.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { type Running, runModern } from '../modern/support/modern.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** The icon in the tab of a browser, at every server that shows pages. */

let system: System;
let modern: Running;
let demo: Demo;

async function openDemo(): Promise<Demo> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const app = { clientId: 'an-app', clientSecret: 'a-secret' };
  const settings = {
    host: '127.0.0.1',
    port,
    publicUrl,
    bridgeUrl: system.bridgeUrl,
    logLevel: 'error',
    ...app,
  };
  return startDemo(settings, createLogger({ level: 'error', name: 'demo' }));
}

beforeAll(async () => {
  [system, modern] = [await startSystem(), await runModern()];
  demo = await openDemo();
});
afterAll(async () => {
  await demo.close();
  await modern.stop();
  await system.stop();
});

const origins: ReadonlyArray<readonly [string, () => string]> = [
  ['the bridge', () => system.bridgeUrl],
  ['the modern side', () => modern.server.url],
  ['the demo', () => demo.url],
];

/** Every icon file begins so: reserved, of the type icon (Microsoft's ICO format). */
const ICO = '00000100';

describe.each(origins)('%s', (_name, originOf) => {
  test('names the icon on its pages, and their policy lets browsers load it', async () => {
    const page = await fetch(originOf());
    const html = await page.text();
    const address = /<link rel="icon" href="([^"]+)" type="image\/svg\+xml">/.exec(html)?.[1] ?? '';
    expect(address).toMatch(/^\/assets\/icon\.svg\?v=[\w-]{12}$/);
    expect(page.headers.get('content-security-policy')).toContain("img-src 'self'");
    const icon = await fetch(originOf() + address);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(icon.headers.get('cache-control')).toContain('immutable');
    expect(await icon.text()).toMatch(/^<svg xmlns=/);
  });

  test('has a page that is missing name it too', async () => {
    const page = await fetch(`${originOf()}/nowhere`);
    expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('<link rel="icon"')]);
  });

  test.each(['/favicon.ico', '/assets/icon.svg'])(
    '%s is kept, and asked for anew by its validator',
    async (path) => {
      const first = await fetch(originOf() + path);
      const bytes = new Uint8Array(await first.arrayBuffer());
      expect(first.status).toBe(200);
      if (path.endsWith('.ico')) {
        expect(first.headers.get('content-type')).toBe('image/x-icon');
        expect(Buffer.from(bytes).toString('hex', 0, 4)).toBe(ICO);
      }
      expect(first.headers.get('set-cookie')).toBeNull();
      expect(first.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[\w-]{12}"$/);
      const again = await fetch(originOf() + path, {
        headers: { 'if-none-match': tag, 'cache-control': '' },
      });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
      const other = await fetch(originOf() + path, { headers: { 'if-none-match': '"another"' } });
      expect(other.status).toBe(200);
    },
  );
});
