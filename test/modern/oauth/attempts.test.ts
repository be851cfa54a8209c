import { Sqlite } from '../../../src/shared/sqlite.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { authorizationUrl, DEMO, open, SECOND, send } from '../support/modern.ts';
import { base, modern, withModern } from '../support/running-modern.ts';

const PER_ADDRESS = 100;

let browser: CookieWalker;
let page: Page;
withModern();
beforeAll(async () => {
  addPeople(modern.settings.databaseFile);
  browser = new CookieWalker();
  page = await open(browser, authorizationUrl(base));
});

const signIn = (email: string, password = 'wrong') =>
  send(browser, page, { step: 'sign-in', fields: { email, password } });

const emailOf = (index: number) => `person-${index}@people.example`;

/** All but every tenth of them: for nobody's e-mail a hash of full cost is derived, a tenth of a second each. */
function addPeople(databaseFile: string): void {
  const db = new Sqlite(databaseFile);
  const add = db.prepare(
    `insert into accounts (id, email, password_hash, document)
     select ?1, ?2, password_hash, json_set(document, '$.id', ?1, '$.email', ?2) from accounts where email = ?3`,
  );
  for (let index = 0; index < PER_ADDRESS; index += 1)
    if (index % 10 > 0) add.run({ 1: `person-${index}`, 2: emailOf(index), 3: SECOND.email });
  db.close();
}

test('a hundred attempts over many e-mails may be made from one address; every later one has to wait', async () => {
  const began = Date.now();
  const answers = await Promise.all(
    Array.from({ length: PER_ADDRESS }, (_, index) => signIn(emailOf(index))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: PER_ADDRESS }, () => 401));

  const later = [await signIn(emailOf(PER_ADDRESS)), await signIn(DEMO.email, DEMO.password)];
  expect(later.map(({ status }) => status)).toEqual([429, 429]);
  for (const { headers, body } of [...later, await signIn(SECOND.email)]) {
    // It counts from the first attempt, and a hundred of them take their time.
    const sinceFirst = (Date.now() - began) / 1000;
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.floor(15 * 60 - sinceFirst));
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60);
    expect(body).toContain('Too many attempts');
  }
});
