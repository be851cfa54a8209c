/** How every page writes times and numbers. */

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const NUMBER = new Intl.NumberFormat('en-GB');

/**
 * A time (Unix milliseconds) as an element of HTML: `22 Nov 2026, 09:15 UTC`, which a script of the page shows in the zone
 * of the reader, with UTC as its tooltip.
 */
export function timeElement(time: number): string {
  return `<time class="local" datetime="${new Date(time).toISOString()}">${TIME.format(time)} UTC</time>`;
}

/** `12,345`. */
export function numberWords(number: number): string {
  return NUMBER.format(number);
}
