/**
 * Times with the name of a month: those of mails (RFC 5322 §3.3, RFC 822 §5.1) and of HTTP (RFC 9110 §5.6.7), which are the
 * formats that date functions of PHP, Ruby and Python know by a name, and those of C and of JavaScript, which have the
 * month in front of the day. UTC where no zone is given.
 */

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);

const DAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

/** The place of a name that is written whole, or by its first three letters. */
const placeOf = (name: string, names: readonly string[]) =>
  names.findIndex((one) => [one, one.slice(0, 3)].includes(name.toLowerCase()));

const CLOCK = String.raw`(?<clock>\d{2}:\d{2}(?::\d{2})?)`;

const ZONE = String.raw`(?:\s(?<zone>Z|[A-Z]{3}|UT|(?:GMT|UTC)?[ +-]\d{2}:?\d{2}))?`;

const WEEKDAY = '(?<weekday>[A-Z]{3,9})';

const MONTH = '(?<month>[A-Z]{3,9})';

/** `Mon, 02 Nov 2026 08:30:00 +0000`, `Monday, 02-Nov-26 08:30:00 GMT`. */
const DAY_FIRST = new RegExp(
  String.raw`^(?:${WEEKDAY}, ?)?(?<day>\d{1,2})[ -]${MONTH}[ -](?<year>\d{2}|\d{4}) ${CLOCK}${ZONE}$`,
  'i',
);

/** `Mon Nov 02 2026 08:30:00 GMT+0200`, `Mon Nov  2 08:30:00 2026`, `Mon Nov 02 08:30:00 +0000 2026`. */
const MONTH_FIRST = [`(?<year>\\d{4}) ${CLOCK}${ZONE}`, `${CLOCK}${ZONE} (?<year>\\d{4})`].map(
  (rest) => new RegExp(String.raw`^${WEEKDAY} ${MONTH} {1,2}(?<day>\d{1,2}) ${rest}$`, 'i'),
);

/** The comment behind a zone, which names it once more: `(UTC)`, `(Central European Standard Time)`. */
const COMMENT = / \([^()]*\)$/;

/** The zones with a name in RFC 5322 §4.3, in hours. No standard has the others. */
const ZONES: Readonly<Record<string, string>> = {
  z: 'Z',
  ut: 'Z',
  utc: 'Z',
  gmt: 'Z',
  edt: '-04:00',
  est: '-05:00',
  cdt: '-05:00',
  cst: '-06:00',
  mdt: '-06:00',
  mst: '-07:00',
  pdt: '-07:00',
  pst: '-08:00',
};

/** A plus that was sent unescaped arrives as a space. */
function offsetOf(zone = 'Z'): string | undefined {
  const [, sign, hours, minutes] = /^(?:GMT|UTC)?([ +-])(\d{2}):?(\d{2})$/i.exec(zone) ?? [];
  if (hours === undefined) return ZONES[zone.toLowerCase()];
  return `${sign === '-' ? '-' : '+'}${hours}:${minutes}`;
}

type NamedTime = Record<'day' | 'month' | 'year' | 'clock', string> &
  Partial<Record<'weekday' | 'zone', string>>;

/** A year of two digits stands only beside a weekday, which proves it. All times that a call may name lie in this century. */
function yearOf({ year, weekday }: NamedTime): string | undefined {
  if (year.length === 4) return year;
  return weekday === undefined ? undefined : `20${year}`;
}

function dateOf(time: NamedTime): string | undefined {
  const { weekday, day, month } = time;
  const year = yearOf(time);
  if (year === undefined) return undefined;
  const number = String(placeOf(month, MONTHS) + 1).padStart(2, '0');
  const date = `${year}-${number}-${day.padStart(2, '0')}`;
  const isNamed =
    weekday === undefined || placeOf(weekday, DAYS) === new Date(`${date}T00:00:00Z`).getUTCDay();
  return isNamed ? date : undefined;
}

/**
 * A time with the name of a month, in ISO 8601; undefined for any other text, and where weekday or zone is wrong. Whether the
 * month has such a day is left to the reader of ISO 8601.
 */
export function isoOfNamedMonth(text: string): string | undefined {
  const plain = text.replace(COMMENT, '');
  const found = [DAY_FIRST, ...MONTH_FIRST].map((form) => form.exec(plain)?.groups).find(Boolean);
  if (!found) return undefined;
  const time = found as NamedTime;
  const [date, offset] = [dateOf(time), offsetOf(time.zone)];
  return date && offset ? `${date}T${time.clock}${offset}` : undefined;
}
