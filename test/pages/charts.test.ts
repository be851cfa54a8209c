import { type DailyChart, lines, sparkline, stackedBars } from '../../src/http/charts/charts.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';

/** What a chart says to those who see it and to those who do not. */

const daysFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, index) => dayOf(Date.parse(first) + index * DAY));

const chart = (changes: Partial<DailyChart> = {}): DailyChart => ({
  id: 'calls',
  title: 'Calls',
  days: ['2026-11-02', '2026-11-03', '2026-11-04'],
  series: [
    { label: 'profiles', kind: 'accent', values: [3, 0, 1200] },
    { label: 'user', kind: 'second', values: [1, 0, 2] },
  ],
  ...changes,
});

const drawingsOf = (html: string) => html.match(/<svg class="chart-drawing[\s\S]*?<\/svg>/g) ?? [];
const textsOf = (svg = '') => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr><th scope="row">(.*?)<\/tr>/g)].map(([, row]) =>
    (row ?? '')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
const markAt = (svg = '') => Number(/chart-mark" x1="([\d.]+)"/.exec(svg)?.[1]);
const todayAt = (svg = '') => Number(/chart-today" x1="([\d.]+)"/.exec(svg)?.[1]);
const endOf = (svg = '') => Number(/chart-end [^>]*cx="([\d.]+)"/.exec(svg)?.[1]);

test('bars name themselves, their days and their sums for a screen reader, in each width', () => {
  const html = stackedBars(chart());
  const drawings = drawingsOf(html);
  expect(drawings).toHaveLength(3);
  for (const svg of drawings) {
    const [, title, desc] = /role="img" aria-labelledby="(\S+) (\S+)"/.exec(svg) ?? [];
    expect(svg).toContain(`<title id="${title}">Calls</title>`);
    expect(svg).toContain(
      `<desc id="${desc}">2 Nov 2026 to 4 Nov 2026. profiles: 1,203. user: 3. The most on one day: 1,202, on 4 Nov.</desc>`,
    );
  }
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(html).toContain('<figcaption>Calls</figcaption>');
});

test('the table has the days with a value, the newest first', () => {
  expect(rowsOf(stackedBars(chart()))).toEqual(['4 Nov 1,200 2', '2 Nov 3 1']);
});

test('a long table stops at sixty rows and says so', () => {
  const days = daysFrom('2026-08-01', 90);
  const html = stackedBars(
    chart({ days, series: [{ label: 'all', kind: 'ok', values: days.map(() => 1) }] }),
  );
  expect(rowsOf(html)).toHaveLength(60);
  expect(html).toContain('The newest 60 of 90 rows, back to 31 Aug 2026.');
});

test('the table of lines has the days on which something changed', () => {
  const days = daysFrom('2026-11-01', 6);
  const html = lines(
    chart({ days, series: [{ label: 'waiting', kind: 'warning', values: [5, 5, 5, 2, 2, 2] }] }),
  );
  expect(rowsOf(html)).toEqual(['6 Nov 2', '4 Nov 2', '1 Nov 5']);
  expect(html).toContain('waiting: from 5 to 2.');
});

test('axes are labelled with few days and whole numbers', () => {
  const days = daysFrom('2026-09-01', 90);
  const values = days.map((_, index) => index * 1000);
  const html = lines(chart({ days, series: [{ label: 'a', kind: 'ok', values }] }));
  const [broad, wide, narrow] = drawingsOf(html);
  for (const svg of [broad, wide, narrow])
    expect(textsOf(svg)).toEqual(expect.arrayContaining(['0', '20k', '2 Sept', 'Today, 29 Nov']));
  const dayLabels = (svg?: string) => textsOf(svg).filter((text) => /^\d+ \w+$/.test(text ?? ''));
  expect(dayLabels(broad)).toHaveLength(9);
  expect(dayLabels(wide)).toHaveLength(5);
  expect(dayLabels(narrow)).toHaveLength(2);
  const small = drawingsOf(lines(chart({ series: [{ label: 'a', kind: 'ok', values: [0, 1, 1] }] })))[0];
  expect(textsOf(small).filter((text) => /^[\d.]+$/.test(text ?? ''))).toEqual(['0', '1']);
});

test('a mark beyond the last day widens the chart; one far beyond stands at its edge with its whole date', () => {
  const within = drawingsOf(lines(chart({ marks: [{ day: '2026-11-03', label: 'Retirement' }] })))[0];
  const near = drawingsOf(lines(chart({ marks: [{ day: '2026-11-06', label: 'Retirement' }] })))[0];
  const far = drawingsOf(lines(chart({ marks: [{ day: '2027-11-06', label: 'Retirement' }] })))[0];
  expect(textsOf(near)).toContain('Retirement, 6 Nov');
  expect(textsOf(far)).toContain('Retirement, 6 Nov 2027 →');
  expect(markAt(near)).toBeGreaterThan(markAt(within));
  expect(endOf(near)).toBeLessThan(markAt(near));
  expect(endOf(near)).toBeLessThan(endOf(within));
  expect(endOf(far)).toBe(endOf(within));
  const past = drawingsOf(lines(chart({ marks: [{ day: '2026-01-01', label: 'Deprecation' }] })))[0];
  expect(textsOf(past).join()).not.toContain('Deprecation');
  expect(past).toContain('Deprecation: 1 Jan 2026.');
});

test('without a number there are words instead of an empty drawing', () => {
  const none = [{ label: 'all', kind: 'ok' as const, values: [0, 0, 0] }];
  expect(stackedBars(chart({ series: none }))).toContain('No calls in these days.');
  expect(stackedBars(chart({ series: none }))).not.toContain('<svg');
  expect(stackedBars(chart({ series: [] }))).toContain('No calls in these days.');
  expect(stackedBars(chart({ series: none, isPartial: true }))).toContain(
    'No calls are known of these days.',
  );
  expect(lines(chart({ series: none, empty: 'Nothing <yet>.' }))).toContain('Nothing &lt;yet&gt;.');
});

test('nothing that somebody named becomes markup, and nothing is styled in place', () => {
  const evil = `"><script>alert('x')</script>&`;
  const series = [{ label: evil, kind: 'danger' as const, values: [1, 2, 3] }];
  const marks = [{ day: '2026-11-03', label: evil }];
  const bad = chart({ id: evil, title: evil, series, marks });
  const empty = { ...bad, series: [{ label: evil, kind: 'ok' as const, values: [] }], empty: evil };
  const spark = sparkline({ label: evil, values: [1, 2] });
  for (const html of [
    stackedBars(bad),
    lines(bad),
    lines({ ...bad, isSmall: true }),
    stackedBars(empty),
    spark,
  ]) {
    expect(html).not.toMatch(/<script|alert\('|style=/);
    expect(html).toContain('&quot;&gt;&lt;script&gt;');
  }
});

const shapesIn = (svg = '') =>
  [...svg.matchAll(/class="chart-(bar|area) chart-\w+" d="([^"]+)"/g)].map(([, how, d = '']) => ({ how, d }));

const daily = (count: number, valueOf: (index: number) => number = () => 3) => {
  const days = daysFrom('2026-01-01', count);
  const values = days.map((_, index) => valueOf(index));
  return stackedBars(
    chart({
      days,
      series: [
        { label: 'profiles', kind: 'third', values },
        { label: 'user', kind: 'second', values },
      ],
    }),
  );
};

test('above forty days the bars of a series are one plain area, without gaps, edges and textures', () => {
  for (const count of [7, 39, 40]) {
    const html = daily(count);
    expect(shapesIn(drawingsOf(html)[0]).map(({ how }) => how)).toEqual(['bar', 'bar']);
    expect(html).toContain('chart-hatch');
  }
  for (const count of [41, 90, 400]) {
    const html = daily(count);
    expect(html).not.toMatch(/chart-hatch|chart-bar|<pattern/);
    for (const svg of drawingsOf(html)) {
      const shapes = shapesIn(svg);
      expect(shapes.map(({ how }) => how)).toEqual(['area', 'area']);
      for (const { d } of shapes) expect(d.match(/M/g)).toHaveLength(1);
    }
  }
});

test('an area has a gap where a day has no number, and its last day ends at the edge', () => {
  const [svg] = drawingsOf(daily(60, (index) => (index === 20 ? 0 : 3)));
  for (const { d } of shapesIn(svg)) {
    expect(d.match(/M/g)).toHaveLength(2);
    expect(d).toContain('H1066V');
  }
});

test('the axis begins at the first day that has a number, and the chart says so', () => {
  for (const draw of [stackedBars, lines]) {
    const days = daysFrom('2026-11-01', 30);
    const values = days.map((_, index) => (index === 9 || index === 28 ? 4 : 0));
    const html = draw(chart({ days, series: [{ label: 'all', kind: 'ok', values }] }));
    expect(html).toContain('The chart begins with the first day that has a number, 10 Nov 2026.');
    for (const svg of drawingsOf(html)) {
      expect(textsOf(svg)).toEqual(expect.arrayContaining(['10 Nov', 'Today, 30 Nov']));
      expect(svg).toContain('10 Nov 2026 to 30 Nov 2026.');
    }
    expect(draw(chart())).not.toContain('The chart begins');
  }
});

test('the only day with a number is the whole chart, and its bar stays narrow', () => {
  const days = daysFrom('2026-11-01', 30);
  const html = stackedBars(
    chart({
      days,
      series: [{ label: 'all', kind: 'ok', values: days.map((_, index) => (index === 29 ? 4 : 0)) }],
    }),
  );
  const [svg] = drawingsOf(html);
  expect(textsOf(svg)).toContain('Today, 30 Nov');
  expect(shapesIn(svg)[0]?.d).toMatch(/^M[\d.]+ [\d.]+V[\d.]+h56V/);
});

test('a sparkline says in words what it shows, whatever its numbers', () => {
  const html = sparkline({ label: 'Calls of each day', values: [0, 5, 2] });
  expect(html).toContain('role="img" aria-label="Calls of each day"');
  for (const values of [[], [0], [7], [0, 0]])
    expect(sparkline({ label: 'x', values })).not.toMatch(/NaN|null/);
});

const forecastIn = (svg = '') =>
  /chart-forecast [^>]*d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"/.exec(svg)?.slice(1).map(Number) ?? [];
const rangeIn = (svg = '') => /chart-range [^>]*d="([^"]+)"/.exec(svg)?.[1];
const zeroIn = (svg = '') => Number(/chart-grid"[^>]*y1="([\d.]+)"/.exec(svg)?.[1]);

describe('a forecast', () => {
  const days = daysFrom('2026-11-01', 30);
  const values = days.map((_, index) => 100 - index);
  const waiting = [{ label: 'Waiting', kind: 'warning' as const, values }];
  const drawnWith = (changes: { zeroDay: string; earliest: string; latest: string | undefined }) => {
    const line = { label: 'Goes on so', zeroLabel: 'None <waits>', kind: 'warning' as const, from: 71 };
    return lines(chart({ days, series: waiting, forecast: { ...line, ...changes } }));
  };

  test('goes on from the last day down to zero, with its range and its words', () => {
    const html = drawnWith({ zeroDay: '2026-12-20', earliest: '2026-12-15', latest: '2026-12-28' });
    for (const svg of drawingsOf(html)) {
      const [x = 0, , toX = 0, toY] = forecastIn(svg);
      expect(x).toBe(endOf(svg));
      expect(toX).toBe(markAt(svg));
      expect(toY).toBe(zeroIn(svg));
      expect(rangeIn(svg)).toMatch(/^M[\d.]+ [\d.]+H[\d.]+M[\d.]+ [\d.]+v10M[\d.]+ [\d.]+v10$/);
      expect(textsOf(svg)).toEqual(
        expect.arrayContaining(['None &lt;waits&gt;, 20 Dec', 'Today, 30 Nov', '28 Dec']),
      );
      expect(svg).toContain(
        'None &lt;waits&gt;: 20 Dec 2026 (forecast, from 15 Dec 2026 to 28 Dec 2026).</desc>',
      );
    }
    expect(html).toMatch(/<path class="chart-forecast chart-warning" d="[^"]+"\/><\/svg>Goes on so<\/li>/);
  });

  test('to a day far ahead ends at the edge, above zero, and the day stands there whole', () => {
    const html = drawnWith({ zeroDay: '2028-03-04', earliest: '2028-01-04', latest: undefined });
    for (const svg of drawingsOf(html)) {
      const [, y = 0, , toY = 0] = forecastIn(svg);
      expect(toY).toBeGreaterThan(y);
      expect(toY).toBeLessThan(zeroIn(svg));
      expect(rangeIn(svg)).toBeUndefined();
      expect(textsOf(svg)).toContain('None &lt;waits&gt;, 4 Mar 2028 →');
      expect(svg).toContain('(forecast, from 4 Jan 2028 on).</desc>');
    }
  });

  test('without a latest day has a range that goes to the edge', () => {
    const html = drawnWith({ zeroDay: '2026-12-20', earliest: '2026-12-15', latest: undefined });
    expect(rangeIn(drawingsOf(html)[0])).toMatch(/^M[\d.]+ [\d.]+H1066M[\d.]+ [\d.]+v10$/);
  });

  test('the first and the last day have a label, and today where the drawing goes on behind it', () => {
    const [svg] = drawingsOf(lines(chart({ days, series: waiting })));
    expect(textsOf(svg)).toEqual(expect.arrayContaining(['1 Nov', 'Today, 30 Nov']));
    expect(todayAt(svg)).toBe(endOf(svg));
    const marks = [{ day: '2026-12-10', label: 'Retirement' }];
    const [ahead] = drawingsOf(lines(chart({ days, series: waiting, marks })));
    expect(textsOf(ahead)).toEqual(
      expect.arrayContaining(['1 Nov', '10 Dec', 'Retirement, 10 Dec', 'Today, 30 Nov']),
    );
    expect(todayAt(ahead)).toBeNaN();
  });
});
