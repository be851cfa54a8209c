/** CSV by RFC 4180, for people who open it with a spreadsheet. */

/**
 * The starts of a formula for a spreadsheet: at the beginning, after blanks, and after characters that some
 * spreadsheets take for the end of a cell, whatever quotes stand around the cell.
 */
const FORMULA = /(^|[;|\t\r\n])([^\S\t\r\n]*)(?=[=+\-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}])/gu;

const STARTS_WITH_CONTROL = /^[\t\r\n]/;

const NEEDS_QUOTES = /[",;\r\n\t]|^\s|\s$/;

/** A text that no spreadsheet runs: an apostrophe stands before every start of a formula. */
function harmless(text: string): string {
  const guarded = text.replaceAll(FORMULA, "$1$2'");
  return STARTS_WITH_CONTROL.test(guarded) || guarded !== text ? withApostrophe(guarded) : guarded;
}

/** An apostrophe at the very start too, where the guarded place is further in. */
function withApostrophe(text: string): string {
  return text.startsWith("'") ? text : `'${text}`;
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = harmless(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One record with its line end. Numbers stay as they are, texts are made harmless. */
export function csvLine(values: ReadonlyArray<string | number>): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}
