import { REQUESTS_PER_ADDRESS } from '../../../src/modern/provider/provider-brakes.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { authorizationUrl, open, send } from '../support/modern.ts';
import { base, modern, rows, withModernPerTest } from '../support/running-modern.ts';

/** Many authorization requests that nobody signs in to. */
withModernPerTest();

const waiting = () =>
  rows((db) => db.prepare("select count(*) from oidc_records where kind = 'Interaction'").pluck().get());

function addWaiting(count: number): void {
  rows((db) => {
    const add = db.prepare(
      `insert into oidc_records (kind, id_digest, payload, created_at, expires_at)
       values ('Interaction', ?, '', unixepoch(), unixepoch() + 60)`,
    );
    db.transaction(() => {
      for (let index = 0; index < count; index += 1) add.run(`waits ${index}`);
    })();
  });
}

test('of the requests that wait for a person the newest 10,000 are kept', async () => {
  const browser = new CookieWalker();
  addWaiting(9999);
  const page = await open(browser, authorizationUrl(base));
  expect([page.status, waiting()]).toEqual([200, 10_000]);
  await open(new CookieWalker(), authorizationUrl(base));
  await open(new CookieWalker(), authorizationUrl(base));
  expect(waiting()).toBe(10_000);
  const answer = await send(browser, page, { step: 'cancel' });
  expect(answer.location).toContain('error=access_denied');
});

test('an address that begins 3,000 requests in a minute has to wait, and nothing more is kept', async () => {
  for (let request = 0; request < REQUESTS_PER_ADDRESS - 1; request += 1)
    // oxlint-disable-next-line no-await-in-loop -- nothing but counting
    await modern.brakes.authorizations('127.0.0.1');
  expect((await open(new CookieWalker(), authorizationUrl(base))).status).toBe(200);
  const { status, headers, body } = await open(new CookieWalker(), authorizationUrl(base));
  expect([status, headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(body).toContain('Too many requests');
  expect(waiting()).toBe(1);
});
