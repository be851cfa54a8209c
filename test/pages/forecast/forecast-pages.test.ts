import { parse } from 'csv-parse/sync';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { plan } from '../../lifecycle/support/lifecycle-rows.ts';
import { browserOf, wordsOf } from '../../owners/support/people.ts';
import { staffBrowser } from '../../staff/support/staff-browser.ts';
import type { System } from '../../support/bridge/system.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import {
  type ForecastWorld,
  type KeptNumbers,
  NOW,
  startForecastWorld,
  tenADay,
} from './support/kept-numbers.ts';

/** The forecast where people and programs read it: pages of owners, pages of support, and the exports. */

let world: ForecastWorld;
let system: System;
let dana: CookieWalker;
let staff: CookieWalker;

beforeAll(async () => {
  world = await startForecastWorld();
  ({ system } = world);
  [dana, staff] = [await browserOf(system), await staffBrowser(system, 'reader')];
});
afterAll(() => system.stop());

async function retireOn(day: string | undefined): Promise<void> {
  await plan(system.bridge, { dates: day === undefined ? {} : { retirement: Date.parse(day) } });
  await system.bridge.context.lifecycle.refresh();
}

const url = (path: string) => `${system.bridgeUrl}${path}`;
const PAGES: Array<[name: string, page: () => ReturnType<CookieWalker['get']>]> = [
  ['the page of the app', () => dana.get(url(`/apps/${world.clientId}`))],
  ['the progress of the owner', () => dana.get(url('/apps/progress'))],
  ['the numbers of all', () => staff.get(url('/support/numbers'))],
];

const jsonOf = async (by: string) =>
  JSON.parse((await staff.get(url(`/support/numbers.json?by=${by}`))).body) as {
    forecast: Record<string, unknown>;
    columns: string[];
    rows: Array<Record<string, string | number | null>>;
  };

const FULL_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const fullDay = (day: unknown) => FULL_DAY.format(Date.parse(String(day)));

describe('a pace of ten a day, the retirement in January', () => {
  beforeAll(async () => {
    await world.keep({ waiting: tenADay });
    await retireOn('2027-01-21T00:00:00Z');
  });

  test.each(PAGES)('%s has the sentence, the dashed line and its words', async (_, page) => {
    const answer = await page();
    expect(wordsOf(answer)).toContain(
      'At the pace of the last two weeks the last token is connected on 4 March 2027, six weeks after the retirement. If the pace lasts, it is between 1',
    );
    expect(answer.body).toMatch(/<path class="chart-forecast chart-warning" d="M[\d.]+ [\d.]+L/);
    expect(answer.body).toMatch(/<path class="chart-range chart-warning"/);
    expect(answer.body).toMatch(
      /<desc [^>]*>[^<]*Not connected: from 1,620 to 1,020\. Retirement: 21 Jan 2027\. None waits: 4 Mar 2027 \(forecast, from \d+ Feb 2027 to \d+ Mar 2027\)\.<\/desc>/,
    );
    expect(answer.body).toContain('Waiting, at the pace of two weeks</li>');
    expect(answer.body).toMatch(/>Today, 22 Nov<.*/);
    expect(answer.body).not.toMatch(/style=|<script(?![^>]*\ssrc=)/);
  });

  test('support reads it on the page of the app too', async () => {
    expect(wordsOf(await staff.get(url(`/support/apps/${world.clientId}`)))).toContain(
      'the last token is connected on 4 March 2027, six weeks after the retirement.',
    );
  });

  test('the range is that of the chart, on each side of the date', async () => {
    const { forecast } = await jsonOf('day');
    expect(forecast).toEqual({
      outcome: 'falling',
      as_of: '2026-11-22',
      waiting: 1020,
      fell_in_14_days: 140,
      fell_per_day: 10,
      zero_day: '2027-03-04',
      earliest: expect.stringMatching(/^2027-02-\d\d$/),
      latest: expect.stringMatching(/^2027-03-\d\d$/),
      slowing: 'ruled_out',
      latest_if_slowing: null,
      trend: 'same',
      forecast_from: null,
    });
    const { body } = await staff.get(url('/support/numbers'));
    expect(body).toContain(`from ${fullDay(forecast['earliest'])} to ${fullDay(forecast['latest'])})`);
  });

  test('each export in JSON has the forecast of all at its head, and one has a row for each app', async () => {
    for (const by of ['day', 'app', 'forecast'])
      expect((await jsonOf(by)).forecast).toMatchObject({ zero_day: '2027-03-04' });
    const { rows: apps, columns } = await jsonOf('forecast');
    expect(columns).toEqual(Object.keys(apps[0] ?? {}));
    expect(apps).toEqual([
      expect.objectContaining({
        client_id: world.clientId,
        outcome: 'falling',
        zero_day: '2027-03-04',
        waiting: 1020,
      }),
    ]);
    const csv = await staff.get(url('/support/numbers.csv?by=forecast'));
    const records: Array<Record<string, string>> = parse(csv.body, {
      columns: true,
      record_delimiter: '\r\n',
    });
    expect(records).toEqual([
      Object.fromEntries(
        Object.entries(apps[0] ?? {}).map(([name, value]) => [name, value === null ? '' : `${value}`]),
      ),
    ]);
  });

  test('more time of the app is what its forecast is compared with', async () => {
    const extensions = [
      { clientId: world.clientId, name: 'retirement' as const, until: Date.parse('2027-03-25') },
    ];
    const dates = { retirement: Date.parse('2027-01-21') };
    await plan(system.bridge, { dates, extensions });
    await system.bridge.context.lifecycle.refresh();
    expect(wordsOf(await dana.get(url(`/apps/${world.clientId}`)))).toContain(
      'on 4 March 2027, three weeks before the retirement.',
    );
    const numbers = wordsOf(await staff.get(url('/support/numbers')));
    expect(numbers).toContain('six weeks after the retirement.');
    expect(numbers).toContain('Tokens on each day since the first count on 23 Sept 2026');
  });

  test('after the end of the old API, when connecting helps no more, nothing is forecast', async () => {
    await plan(system.bridge, { dates: { sunset: NOW - DAY } });
    await system.bridge.context.lifecycle.refresh();
    for (const [, page] of PAGES) {
      const answer = await page();
      expect(wordsOf(answer)).not.toMatch(/At the pace|no date|cannot be told/);
      expect(answer.body).not.toContain('chart-forecast');
    }
  });
});

describe('no date', () => {
  beforeAll(() => retireOn('2027-01-21T00:00:00Z'));

  const OUTCOMES: Array<[name: string, kept: KeptNumbers, says: string, outcome: string]> = [
    [
      'nothing is connected',
      { waiting: () => 40 },
      'did not fall in the last two weeks, so there is no forecast',
      'not_falling',
    ],
    [
      'more come to wait',
      { waiting: (ago) => 1000 - 3 * ago },
      'In the last two weeks the number of tokens that are not connected rose by 42, so there is no forecast',
      'rising',
    ],
    [
      'only a few days are counted',
      { waiting: tenADay, days: 9 },
      'cannot be told yet: a pace takes two whole weeks of counts. A forecast stands here from 28 November 2026 on.',
      'too_few_days',
    ],
    [
      'the count stopped three days ago',
      { waiting: tenADay, countedUntil: 3 },
      'cannot be told: the tokens were last counted on 19 November 2026',
      'count_is_old',
    ],
  ];

  test.each(OUTCOMES)('where %s, every page says so and draws no line', async (_, kept, says, outcome) => {
    await world.keep(kept);
    for (const [, page] of PAGES) {
      const answer = await page();
      expect(wordsOf(answer)).toContain(says);
      expect(wordsOf(answer)).not.toContain('At the pace of the last two weeks the last token');
      expect(answer.body).not.toContain('chart-forecast');
    }
    expect((await jsonOf('day')).forecast).toMatchObject({ outcome, zero_day: null, latest: null });
  });

  test('nothing is forecast of what does not wait', async () => {
    await world.keep({ waiting: (ago) => 10 * ago });
    for (const [, page] of PAGES.slice(1))
      expect(wordsOf(await page())).not.toMatch(/At the pace|no date|cannot be told/);
    expect((await jsonOf('forecast')).rows).toMatchObject([{ outcome: 'done', waiting: 0, zero_day: null }]);
  });
});

test('an import of last week is left out of the pace, which the page says', async () => {
  await retireOn(undefined);
  await world.keep({ waiting: (ago) => tenADay(ago) - (ago > 5 ? 500 : 0) });
  const words = wordsOf(await staff.get(url('/support/numbers')));
  expect(words).toContain('the last token is connected on 4 March 2027.');
  expect(words).toContain('The rise by 490 on 17 November 2026 happened once and is left out of the pace.');
});
