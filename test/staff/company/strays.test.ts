import { setTimeout as delay } from 'node:timers/promises';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { type CompanySystem, startCompanySystem, walkCompany } from './support/company-system.ts';

/** Returns that belong to no sign-in of their browser, as anybody can send them. */

let ground: CompanySystem;
beforeAll(async () => {
  ground = await startCompanySystem();
});
afterAll(() => ground.stop());

const [ALLOWED, AT_ONCE] = [300, 70];

/** A refusal is held back for a second. So the strays come apart, in milliseconds, and at no moment have all ended. */
const APART = 15;

test('a sign-in ends well beside very many strays of its address, which are held back', async () => {
  const { counts } = ground.system.bridge.context;
  for (let n = 0; n < ALLOWED; n += 1) counts.count(['stray returns of company sign-ins', '127.0.0.1']);
  const browser = new CookieWalker();
  const back = await walkCompany(ground, await browser.get(ground.at('/sign-in/company')), 'lena');
  const stray = async () =>
    (await new CookieWalker().get(ground.at('/sign-in/company/return?code=x&state=y'))).status;
  const over = new AbortController();
  const sendOn = async (_: unknown, number: number) => {
    await delay(number * APART);
    while (!over.signal.aborted) expect(await stray()).toBe(429);
  };
  const others = Array.from({ length: AT_ONCE }, sendOn);
  await delay(2 * AT_ONCE * APART);
  const page = await browser.get(back);
  over.abort();
  await Promise.all(others);
  expect(page).toMatchObject({ status: 303, location: '/support' });
});
