import { Writable } from 'node:stream';
import { reportLeaks } from '../../src/domain/leaks/report-leaks.ts';
import { HOUR } from '../../src/shared/lifetimes.ts';
import { browserOf, DANA, wordsOf } from '../owners/support/people.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { bodyOf, keysOf, newSigner, postLeaks, reportTo, signed } from './support/signer.ts';

/** What support, the holder and the log are told of a leaked token. */

const scanner = newSigner('f9525bf080f75b3506ca1ead061add62b8633a346606dc5fe544e29231c6ee0d');

let log = '';
const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    log += chunk.toString();
    done();
  },
});

let system: System;
let sam: CookieWalker;

beforeAll(async () => {
  system = await startSystem({
    env: { LEAK_REPORT_KEYS: keysOf(scanner) },
    log: { level: 'debug', stream },
  });
  await browserOf(system, DANA);
  sam = await staffBrowser(system, 'reader');
});

afterAll(() => system.stop());

const waiting = (clientId = system.app.clientId) =>
  addWaitingToken(system.bridge, { clientId, accountId: DANA.accountId });
const pageOf = (mappingId: string) => sam.get(`${system.bridgeUrl}/support/mappings/${mappingId}`);

test('the page of a token says when it was reported, by whom, from where, and that it has ended', async () => {
  const { token, mappingId } = await waiting();
  expect(wordsOf(await pageOf(mappingId))).not.toContain('Reported as leaked');
  await reportTo(system, scanner, [{ token, url: 'https://code.example/a/b.txt', source: 'commit' }]);
  const words = wordsOf(await pageOf(mappingId));
  expect(words).toMatch(/Reported as leaked First reported .* It has ended: /);
  expect(words).toMatch(
    /Found at commit https:\/\/code\.example\/a\/b\.txt , reported .* by a scanner of leaked tokens \(key f9525bf080f7…\)/,
  );
  expect(words).toContain('The token was reported as leaked');
  expect(words).toContain('it was found in a place that others can read, so it was ended for safety');
});

test('within the grace the page says when the token ends', async () => {
  const { token, mappingId } = await waiting();
  const reports = [{ token, found: 'a log' }];
  const origin = { actor: 'command', requestId: null };
  await reportLeaks(system.bridge.context, { reports, grace: 24 * HOUR }, origin);
  const words = wordsOf(await pageOf(mappingId));
  expect(words).toContain('It is revoked');
  expect(words).toMatch(/Found at a log , reported .* by an operator \(command\)/);
});

test('the place is shown as text and never as a link', async () => {
  const { token, mappingId } = await waiting();
  const url = 'https://code.example/"><script>alert(1)</script><a href="https://evil.example">x</a>';
  await reportTo(system, scanner, [{ token, url, source: '<b>' }]);
  const { body } = await pageOf(mappingId);
  expect(body).toContain('&lt;script&gt;');
  for (const raw of ['<script>alert', 'href="https://evil', 'href="https://code', '<b>'])
    expect(body).not.toContain(raw);
});

test('the holder reads why the token ended, on the page of the app', async () => {
  const app = await system.registerApp('https://leaky.example/callback');
  const { token } = await waiting(app.clientId);
  await reportTo(system, scanner, [{ token }]);
  const dana = await browserOf(system, DANA);
  const page = await dana.get(`${system.bridgeUrl}/apps/${app.clientId}/tokens`);
  expect(page.status).toBe(200);
  expect(wordsOf(page)).toMatch(/found in a place that others can read/i);
});

test('no token stands in the log, the history or any other row, however the report ends', async () => {
  const [one, two] = [await waiting(), await waiting()];
  const inAddress = `https://bridge.example/1/user.json?access_token=${encodeURIComponent(one.token)}`;
  await reportTo(system, scanner, [{ token: one.token, url: inAddress, source: one.token, type: one.token }]);
  const body = bodyOf([{ token: two.token, url: two.token }]);
  await postLeaks(system, { ...signed(scanner, body), 'github-public-key-identifier': two.token }, body);
  await postLeaks(system, signed(scanner, body), `${body} `);
  const broken = `[{"token":"${two.token}"`;
  await postLeaks(system, signed(scanner, broken), broken);
  await system.bridge.untilLogged();
  const { durable } = system.bridge.context.store;
  const kept = JSON.stringify([
    await durable.selectFrom('events').selectAll().execute(),
    await durable.selectFrom('leaked_tokens').selectAll().execute(),
    await durable.selectFrom('leak_places').selectAll().execute(),
    await durable.selectFrom('reminders').selectAll().execute(),
  ]);
  for (const { token } of [one, two])
    for (const form of [
      token,
      token.slice(2),
      encodeURIComponent(token),
      JSON.stringify(token).slice(1, -1),
    ]) {
      expect(log).not.toContain(form);
      expect(kept).not.toContain(form);
    }
  expect(log).toContain('a leak report was taken');
  expect(log).toContain('a leak report was refused');
});
