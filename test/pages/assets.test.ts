import { startSystem, type System } from '../support/system.ts';

/** What pages load is kept by browsers for good, and is never an old version. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.stop());

const cacheOf = async (address: string) => {
  const answer = await fetch(`${system.bridgeUrl}${address}`);
  return [answer.status, answer.headers.get('cache-control')];
};

const KEPT = 'public, max-age=31536000, immutable';

test('every page names the style sheet by its content, and that is kept for good', async () => {
  const page = await (await fetch(`${system.bridgeUrl}/`)).text();
  const address = /href="(\/assets\/style\.css\?v=[\w-]+)"/.exec(page)?.[1] ?? '';
  expect(await cacheOf(address)).toEqual([200, KEPT]);
});

test('an address without a version, or with that of another content, is asked for anew soon', async () => {
  for (const address of [
    '/assets/style.css',
    '/assets/style.css?v=another',
    '/assets/htmx.js',
    '/assets/live.js',
  ])
    expect(await cacheOf(address)).toEqual([200, 'public, max-age=60']);
});
