import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outlookOfCutOver, outlookOfRetirement } from '../../../src/domain/cut-over/outlook.ts';
import { importFile } from '../../../src/domain/import/reading/import-file.ts';
import { callersOf, knownCallDays } from '../../../src/domain/usage/callers.ts';
import { DAY, MINUTE } from '../../../src/shared/lifetimes.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import { addPairs } from '../../cut-over/support/pairs.ts';
import { staffBrowser } from '../../staff/support/staff-browser.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { browserOf, DANA, wordsOf } from '../support/people.ts';

/**
 * A bridge that has counted all calls for a long time gets tokens by an import. Nothing is known of the calls of these
 * tokens before the import, and no page takes the want of them for a fact.
 */

const clock = new SettableClock();
let system: System;
let folder: string;
let clientId: string;
let mappingId: string;

const tokenRow = (letter: string) => ({
  type: 'token',
  access_token: `1/${letter.repeat(32)}`,
  client_id: clientId,
  account_id: DANA.accountId,
});

const importTokens = (...letters: string[]) => importRows(letters.map(tokenRow));

async function importRows(rows: readonly object[]): Promise<void> {
  const file = join(folder, 'import.ndjson');
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  const { new: added } = await importFile(system.bridge.context, {
    file,
    folder,
    isDryRun: false,
    origin: { actor: 'test', requestId: null },
    onProgress: () => {},
  });
  expect(added).toBe(rows.length);
}

beforeEach(async () => {
  clock.set(Math.floor(Date.now() / DAY) * DAY + DAY / 2);
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' } });
  folder = mkdtempSync(join(tmpdir(), 'imported-calls-'));
  const { context } = system.bridge;
  await countCallsSince(context.store, clock.now() - 400 * DAY);
  ({ clientId } = await registerLegacyApp(system.bridge, 'https://old-app.example/callback'));
  await importTokens('a', 'b');
  const row = await context.store.durable
    .selectFrom('mappings')
    .select('id')
    .where('source', '=', 'imported')
    .executeTakeFirstOrThrow();
  mappingId = row.id;
  clock.advance(60 * MINUTE);
});
afterEach(async () => {
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** As `26 Nov 2026`. */
const wordsOfDay = (at: number) =>
  new Date(at).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });

const words = async (browser: CookieWalker, path: string) => {
  const page = await browser.get(`${system.bridgeUrl}${path}`);
  expect([path, page.status]).toEqual([path, 200]);
  return wordsOf(page);
};

/** What nobody knows of these tokens. */
const FALSE =
  /never seen|ever seen here|not listed had none|(?:No call|None)[^.]* in the last 30 days|No calls in these days/;
const SINCE = /Calls are counted since \d+ \w+ \d{4}(?: at|,) 12:00 UTC ?; some may be missing\./;

test('an hour after an import the pages say since when the calls of its tokens are counted', async () => {
  const dana = await browserOf(system);
  const staff = await staffBrowser(system, 'lead');
  const pages: Array<[CookieWalker, string]> = [
    [dana, `/apps/${clientId}`],
    [dana, `/apps/${clientId}/tokens`],
    [staff, `/support/mappings/${mappingId}`],
  ];
  for (const [browser, path] of pages) {
    const told = await words(browser, path);
    expect([path, told]).toEqual([path, expect.not.stringMatching(FALSE)]);
    expect([path, told]).toEqual([path, expect.stringMatching(SINCE)]);
  }
  expect(await words(staff, `/support/mappings/${mappingId}`)).toMatch(
    new RegExp(`No call with this token is known\\. ${SINCE.source}`),
  );
});

test('a month and a day after it, all calls of the last 30 days are known', async () => {
  clock.advance(31 * DAY);
  const dana = await browserOf(system);
  expect(await words(dana, `/apps/${clientId}/tokens`)).not.toMatch(/some may be missing/);
});

test('an import of further tokens counts for the sums of an app, and for no token of before', async () => {
  const { context } = system.bridge;
  clock.advance(60 * DAY);
  await importTokens('c');
  const at = clock.now();
  const known = { days: 30, isPartial: true, since: at };
  // With `most` 0 the app is read from its sums, as an app of very many tokens.
  for (const most of [0, 2000])
    expect((await callersOf(context, { clientId }, most)).within(30)).toEqual(known);
  expect((await knownCallDays(context, [mappingId]))(30)).toEqual({ days: 30, isPartial: false });
  expect((await knownCallDays(context, 'all'))(30)).toEqual(known);
});

test('no budget is said to suffice for the calls of tokens that were imported an hour ago', async () => {
  const { context } = system.bridge;
  await addPairs(context, { clientId, count: 3 });
  const partial = [{ counted: { isPartial: true } }];
  expect(await outlookOfCutOver(context, clientId, [0, 100])).toMatchObject(partial);
  expect(await outlookOfRetirement(context, 1000)).toMatchObject(partial);
});

test('of an imported secret the page says since when it is known here, and no date of the app', async () => {
  const imported = 'c0de'.repeat(6);
  const day = wordsOfDay(clock.now());
  await importRows([
    {
      type: 'app',
      client_id: imported,
      client_secret: 'imported-secret-of-the-old-api',
      name: 'Older App',
      callback_urls: ['https://older.example/cb'],
      owner_account_id: DANA.accountId,
      created_at: '2015-05-05T00:00:00Z',
    },
  ]);
  const dana = await browserOf(system);
  const told = await words(dana, `/apps/${imported}/secrets`);
  expect(told).toMatch(new RegExp(`The only one ${day}.* Made before this date`));
  expect(told).not.toContain('2015');
  const callback = 'https://made-here.example/callback';
  const own = await registerLegacyApp(system.bridge, callback, DANA.accountId);
  const made = await words(dana, `/apps/${own.clientId}/secrets`);
  expect(made).not.toContain('How old it is');
});
