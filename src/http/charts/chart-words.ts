import { formatNumber } from '../wording/words.ts';

/** The words of charts. */

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const FULL_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const COMPACT = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML and SVG, also inside attributes. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** `3 Nov`. */
export function shortDayWords(day: string): string {
  return DAY.format(Date.parse(day));
}

/** `3 Nov 2026`. */
export function fullDayWords(day: string): string {
  return FULL_DAY.format(Date.parse(day));
}

/** A number at an axis up to `greatest`. The axis has little room: `1,200`, `12k`. */
export function tickWords(value: number, greatest: number): string {
  return greatest < 10_000 ? formatNumber(value) : COMPACT.format(value);
}
