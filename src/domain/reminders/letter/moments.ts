import { DateTime, IANAZone } from 'luxon';
import { DAY } from '../../../shared/lifetimes.ts';

/** Dates and numbers as a mail writes them: in the reader's zone, and exact moments in UTC too. */

/** The reader's zone, and the time of the mail. */
export interface LetterReader {
  /** An IANA zone. An unknown zone counts as UTC. */
  zone: string;
  now: number;
}

function local(at: number, { zone }: LetterReader): DateTime {
  // `IANAZone.create` caches zones. A check of the name alone would make a new formatter each time.
  const known = IANAZone.create(zone).isValid ? zone : 'UTC';
  return DateTime.fromMillis(at, { zone: known, locale: 'en-GB' });
}

const utc = (at: number) => DateTime.fromMillis(at, { zone: 'UTC', locale: 'en-GB' });

/** The words already made for a reader: most dates in a mail are the same. */
const saidTo = new WeakMap<LetterReader, Map<number, string>>();

/** `1 February 2027`. */
export function letterDayWords(at: number, reader: LetterReader): string {
  const said = saidTo.get(reader) ?? new Map<number, string>();
  saidTo.set(reader, said);
  const words = said.get(at) ?? local(at, reader).toFormat('d LLLL yyyy');
  said.set(at, words);
  return words;
}

/** `1 February 2027 at 01:00 (Europe/Berlin), which is 00:00 UTC`. */
export function momentWords(at: number, reader: LetterReader): string {
  const [here, there] = [local(at, reader), utc(at)];
  if (here.offset === 0) return `${there.toFormat("d LLLL yyyy 'at' HH:mm")} UTC`;
  const isSameDay = here.toISODate() === there.toISODate();
  const other = there.toFormat(isSameDay ? 'HH:mm' : "d LLLL 'at' HH:mm");
  return `${here.toFormat("d LLLL yyyy 'at' HH:mm")} (${here.zoneName}), which is ${other} UTC`;
}

/** A moment without UTC, for less important places: `1 February 2027 at 01:00 (Europe/Berlin)`. */
export function localWords(at: number, reader: LetterReader): string {
  const here = local(at, reader);
  const zone = here.offset === 0 ? 'UTC' : `(${here.zoneName})`;
  return `${here.toFormat("d LLLL yyyy 'at' HH:mm")} ${zone}`;
}

/** A window of time: `3 December 2026, 11:00 to 11:15 (Europe/Berlin)`. */
export function windowWords(from: number, to: number, reader: LetterReader): string {
  const [start, end] = [local(from, reader), local(to, reader)];
  const isSameDay = start.toISODate() === end.toISODate();
  const until = end.toFormat(isSameDay ? 'HH:mm' : 'd LLLL, HH:mm');
  const zone = start.offset === 0 ? 'UTC' : `(${start.zoneName})`;
  return `${start.toFormat('d LLLL yyyy, HH:mm')} to ${until} ${zone}`;
}

/** Days of the reader's calendar until a moment; negative once it is past. */
export function daysUntil(at: number, reader: LetterReader): number {
  const dayAt = (time: number) => Math.floor((time + local(time, reader).offset * 60_000) / DAY);
  return dayAt(at) - dayAt(reader.now);
}

/** `today`, `tomorrow`, `in 14 days`. */
export function inDays(at: number, reader: LetterReader): string {
  const days = daysUntil(at, reader);
  if (days <= 1) return days === 1 ? 'tomorrow' : 'today';
  return `in ${letterNumberWords(days)} days`;
}

const numbers = new Intl.NumberFormat('en-GB');

/** `12,345`. */
export function letterNumberWords(count: number): string {
  return numbers.format(count);
}

/** `1 token`, `2,000 tokens`. */
export function letterCountWords(count: number, one: string, many = `${one}s`): string {
  return `${letterNumberWords(count)} ${count === 1 ? one : many}`;
}
