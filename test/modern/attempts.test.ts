import { CookieWalker, type Page } from '../support/cookie-walker.ts';
import { authorizationUrl, DEMO, open, type Running, runModern, SECOND, send } from './support/modern.ts';

const PER_ADDRESS = 100;

let modern: Running;
let browser: CookieWalker;
let page: Page;
beforeAll(async () => {
  modern = await runModern();
  browser = new CookieWalker();
  page = await open(browser, authorizationUrl(modern.server.url));
});
afterAll(() => modern.stop());

const signIn = (email: string, password = 'wrong') =>
  send(browser, page, { step: 'sign-in', fields: { email, password } });

const nobody = (index: number) => `nobody-${index}@grantbridge.example`;

test('a hundred attempts over many e-mails may be made from one address; every later one has to wait', async () => {
  const began = Date.now();
  const answers = await Promise.all(Array.from({ length: PER_ADDRESS }, (_, index) => signIn(nobody(index))));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: PER_ADDRESS }, () => 401));

  const later = [await signIn(nobody(PER_ADDRESS)), await signIn(DEMO.email, DEMO.password)];
  expect(later.map(({ status }) => status)).toEqual([429, 429]);
  for (const { headers, body } of [...later, await signIn(SECOND.email)]) {
    // It counts from the first attempt, and a hundred of them take their time.
    const sinceFirst = (Date.now() - began) / 1000;
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.floor(15 * 60 - sinceFirst));
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60);
    expect(body).toContain('Too many attempts');
  }
  // Each attempt costs a tenth of a second of the processor, on a slow machine more.
}, 240_000);
