import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { readConfig } from '../../src/config/config.ts';
import { browserOf } from '../owners/support/people.ts';
import { sampleLetters } from '../reminders/support/letters.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** The logo of the operator stands at the head of every page, and whatever its file holds it can do nothing there. */

const folder = mkdtempSync(join(tmpdir(), 'logo-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" onload="x()"><path d="M0 0h8v8z"/></svg>';

function chunk(type: string, data: Buffer): Buffer {
  const [length, end] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, end]);
}

function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 6], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const pixels = deflateSync(Buffer.alloc(64));
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const addressIn = (body: string) => /<img class="site-logo" src="([^"]+)" alt="">/.exec(body)?.[1];

describe('a logo', () => {
  let system: System;

  beforeAll(async () => {
    system = await startSystem({ env: { SERVICE_LOGO: fileOf('logo.svg', SVG) } });
  });
  afterAll(() => system.stop());

  test('stands at the head of pages, of the approval page and of the page of an error', async () => {
    const { clientId, callback } = system.app;
    const asked = new URLSearchParams({ client_id: clientId, response_type: 'code', redirect_uri: callback });
    const browser = new CookieWalker();
    const authorize = await browser.get(`${system.bridgeUrl}/oauth2/authorize?${asked.toString()}`);
    const dana = await browserOf(system);
    const pages = [
      await browser.follow(authorize),
      await browser.get(`${system.bridgeUrl}/`),
      await browser.get(`${system.bridgeUrl}/nowhere`),
      await dana.get(`${system.bridgeUrl}/apps`),
    ];
    const addresses = pages.map(({ body }) => addressIn(body));
    expect(addresses).toEqual(
      addresses.map(() => expect.stringMatching(/^\/assets\/logo\?v=[\w-]{12}$/) as string),
    );
  });

  test('is an image that runs nothing, loads nothing and is never taken for a page', async () => {
    const page = await (await fetch(`${system.bridgeUrl}/`)).text();
    const answer = await fetch(`${system.bridgeUrl}${addressIn(page)}`);
    expect(await answer.text()).toBe(SVG);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^image\/svg\+xml/) as string,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const other = await fetch(`${system.bridgeUrl}/assets/logo?v=another`);
    expect(other.headers.get('cache-control')).toBe('public, max-age=60');
  });

  test('stands in no mail', async () => {
    for (const { html } of Object.values(await sampleLetters(system)))
      expect(html).not.toMatch(/<img|cid:|logo/);
  });
});

test('without the setting there is no logo, and no address of one', async () => {
  const system = await startSystem();
  try {
    expect(await (await fetch(`${system.bridgeUrl}/`)).text()).not.toContain('site-logo');
    expect((await fetch(`${system.bridgeUrl}/assets/logo`)).status).toBe(404);
  } finally {
    await system.stop();
  }
});

test('a PNG is known by its content', () => {
  const logo = readConfig({ SERVICE_LOGO: fileOf('logo.svg.txt', png(200, 60)) }).serviceLogo;
  expect(logo).toEqual({ type: 'image/png', bytes: png(200, 60) });
});

test.each([
  ['a declaration', `<?xml version="1.0"?>\n<!-- ours -->\n${SVG}`],
  ['a byte order mark', `\uFEFF${SVG}`],
])('an SVG may begin with %s', (_, text) => {
  expect(readConfig({ SERVICE_LOGO: fileOf('good.svg', text) }).serviceLogo?.type).toBe('image/svg+xml');
});

test.each<[string, string | Buffer, string]>([
  ['page.svg', `<!doctype html><html>${SVG}</html>`, 'must be a PNG or an SVG'],
  ['gif.png', Buffer.from('474946383961', 'hex'), 'must be a PNG or an SVG'],
  ['cut.png', png(1, 1).subarray(0, 20), 'must be a PNG or an SVG'],
  ['empty.png', '', 'must be a PNG or an SVG'],
  ['huge.png', png(40_000, 40_000), 'must have at most 2000 pixels on each side'],
  ['none.png', png(0, 10), 'must have at most 2000 pixels on each side'],
  ['heavy.svg', SVG + ' '.repeat(33_000), 'has more than 32 kB'],
  ['script.svg', SVG.replace('<path', '<SCRIPT>x()</SCRIPT><path'), 'is an SVG with a script'],
  [
    'bomb.svg',
    SVG.replace('<svg', '<!-- --><svg').replace('</svg>', '<!ENTITY a "b"></svg>'),
    'is an SVG with a DOCTYPE',
  ],
  ['bare.svg', '<svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>', 'is an SVG without xmlns'],
])('%s is refused at the start, in words and without its path', (name, content, problem) => {
  const file = fileOf(name, content);
  const read = () => readConfig({ SERVICE_LOGO: file });
  expect(read).toThrow(`SERVICE_LOGO: ${problem}`);
  expect(read).not.toThrow(file);
});

test('a folder, and a file that is not there, are refused at the start', () => {
  expect(() => readConfig({ SERVICE_LOGO: folder })).toThrow('SERVICE_LOGO: is no file');
  expect(() => readConfig({ SERVICE_LOGO: join(folder, 'nowhere.png') })).toThrow(
    'SERVICE_LOGO: does not exist',
  );
});
