import { isoOfNamedMonth } from '../../src/domain/translation/named-month.ts';

/** Times with the name of a month, part by part. Whole times of programs stand in new-update.test.ts. */

const MONTHS = [
  'January February March April May June July August September October November December',
  'jan FEB Mar apr may jun jul aug sep oct nov dec',
].flatMap((line) =>
  line.split(' ').map((name, at) => [name, String((at % 12) + 1).padStart(2, '0')] as const),
);

test.each(MONTHS)('%s is the month %s', (name, number) => {
  expect(isoOfNamedMonth(`1 ${name} 2026 08:30`)).toBe(`2026-${number}-01T08:30Z`);
});

const DAYS = [
  'Sunday Monday Tuesday Wednesday Thursday Friday Saturday',
  'sun MON Tue wed thu fri sat',
].flatMap((line) => line.split(' ').map((name, at) => [name, at + 1] as const));

test.each(DAYS)('%s is the day of %d November 2026, and of no day beside it', (name, day) => {
  expect(isoOfNamedMonth(`${name}, ${day} Nov 2026 08:30:00`)).toBe(`2026-11-0${day}T08:30:00Z`);
  expect(isoOfNamedMonth(`${name}, ${day + 1} Nov 2026 08:30:00`)).toBeUndefined();
});

test.each([
  ['', 'Z'],
  ...['Z', 'UT', 'utc', 'GMT'].map((zone) => [` ${zone}`, 'Z']),
  [' EDT', '-04:00'],
  [' EST', '-05:00'],
  [' CDT', '-05:00'],
  [' CST', '-06:00'],
  [' MDT', '-06:00'],
  [' MST', '-07:00'],
  [' pdt', '-07:00'],
  [' PST', '-08:00'],
  [' -0330', '-03:30'],
  [' +05:30', '+05:30'],
  ['  0530', '+05:30'],
  [' GMT+0200', '+02:00'],
  [' UTC-0330', '-03:30'],
  [' GMT (Coordinated Universal Time)', 'Z'],
  [' +0000 (UTC)', '+00:00'],
  [' +0000 ()', '+00:00'],
])('the zone %j is %s', (zone, offset) => {
  expect(isoOfNamedMonth(`Mon, 02 Nov 2026 08:30:00${zone}`)).toBe(`2026-11-02T08:30:00${offset}`);
});

test.each([
  'Mon,02 Nov 2026 08:30:00',
  'Monday, 02-Nov-26 08:30:00',
  'Mon Nov  2 2026 08:30:00',
  'Mon Nov 2 08:30:00 2026',
  'Mon Nov 02 08:30:00 UTC 2026',
])('%s is one time', (text) => {
  expect(isoOfNamedMonth(text)).toBe('2026-11-02T08:30:00Z');
});

test.each([
  '',
  'x',
  '2026-11-02T08:30:00Z',
  '1Mon, 02 Nov 2026 08:30:00',
  'Mon, 02 Nov 2026 08:30:001',
  '1Mon Nov 02 2026 08:30:00',
  'Mon Nov 02 2026 08:30:001',
  'Mon Nov   2 2026 08:30:00',
  'Mon Nov 02 (x) 2026 08:30:00',
  'Mon, 02 Nov 2026 08:30:00 (a) (b)',
  'Mon, 02 Nov 2026 08:30:00 IST',
  'Mon, 02 Nov 2026 08:30:00 +02',
  'Mon, 002 Nov 2026 08:30:00',
  'Mon, 02 Nov 202 08:30:00',
  '02-Nov-26 08:30:00',
  'Tuesday, 02-Nov-26 08:30:00',
])('%j is no such time', (text) => {
  expect(isoOfNamedMonth(text)).toBeUndefined();
});
