import { DEMO_APP } from '../../src/demo-data/seed-demo.ts';
import { layPairs } from '../../src/demo-data/life.ts';
import { demoPairs } from '../../src/demo-data/tokens.ts';
import { DANA } from '../owners/support/people.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { OWNER_PAGES, STAFF_PAGES } from './support/all-pages.ts';
import { type DemoWorld, startDemoWorld } from './support/demo-world.ts';

/**
 * What every page of people keeps to on the data of the demo: it is small and quick, and no secret stands on it.
 * pages/weight.test.ts weighs each kind of page in every run.
 */

const BYTES = 100_000;
const MILLISECONDS = 100;

/** A busy machine slows one of them, hardly all. */
const TRIES = 5;

const TOKENS = [
  DEMO_APP.ownerToken,
  ...layPairs(demoPairs(DEMO_APP.clientId), 0).flatMap(({ tokens }) => tokens.map(({ token }) => token)),
];

let world: DemoWorld;
/** Owns apps, and is of the staff. */
let dana: CookieWalker;

beforeAll(async () => {
  world = await startDemoWorld();
  dana = await staffBrowser(world, 'lead', DANA);
});
afterAll(() => world.stop());

async function quickest(address: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && best > MILLISECONDS; tries++) {
    const start = performance.now();
    await dana.get(address);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

const paths = [...new Set([...OWNER_PAGES, ...STAFF_PAGES].map(({ path }) => path))];

/** An address may name what there is not. */
const statusOf = (path: string) => (/\/(0{24}|nowhere)$/.test(path) ? 404 : 200);

test.each(paths)('%s', async (path) => {
  const address = `${world.bridgeUrl}${path}`;
  const { status, body } = await dana.get(address);
  expect(status).toBe(statusOf(path));
  expect(Buffer.byteLength(body)).toBeLessThan(BYTES);
  expect(TOKENS.filter((token) => body.includes(token.slice(2)))).toEqual([]);
  expect(await quickest(address)).toBeLessThan(MILLISECONDS);
});
