const PLUS = 0x2b;
const SPACE = 0x20;
const PERCENT = 0x25;

/** The value of a hexadecimal digit's code, or -1. */
function digitOf(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** The byte that a percent sign at this place stands for, or -1 where no two digits follow. */
function escapedByte(bytes: Buffer, at: number): number {
  const high = digitOf(bytes[at + 1]);
  const low = digitOf(bytes[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

const hasEscapes = (text: string) => text.includes('%') || text.includes('+');

/** A name or a value in clear. A plus is a space; a percent sign without two digits is kept; bytes that are no UTF-8 become U+FFFD. */
function unescaped(piece: string): string {
  if (!hasEscapes(piece)) return piece;
  const bytes = Buffer.from(piece);
  const end = bytes.length;
  let length = 0;
  for (let at = 0; at < end; at++) {
    const code = bytes[at] as number;
    const escaped = code === PERCENT ? escapedByte(bytes, at) : -1;
    if (escaped >= 0) at += 2;
    bytes[length++] = escaped >= 0 ? escaped : code === PLUS ? SPACE : code;
  }
  return bytes.toString('utf8', 0, length);
}

/** The index of a character, or the end of the text. */
function indexFrom(text: string, character: string, start: number): number {
  const index = text.indexOf(character, start);
  return index < 0 ? text.length : index;
}

/** Parameters as two lists of the same length. A list of pairs takes three times as long to build. */
export interface NamesAndValues {
  names: readonly string[];
  values: readonly string[];
}

/** Parameters as they were written, and the reader of one name or value. */
export interface WrittenPairs extends NamesAndValues {
  read: (piece: string) => string;
}

const asWritten = (piece: string): string => piece;

/** Pairs that need no reader. */
export const inClear = (pairs: NamesAndValues): WrittenPairs => ({ ...pairs, read: asWritten });

/**
 * The pairs of a form or a query as they were written, in their order. The cost of a form whose sender is unknown lies
 * in its escapes: a caller of this function reads only the pieces that it needs. Pairs after the first `limit` are left out.
 */
export function splitForm(text: string, limit = Number.POSITIVE_INFINITY): WrittenPairs {
  const names: string[] = [];
  const values: string[] = [];
  let equals = indexFrom(text, '=', 0);
  let start = text.startsWith('?') ? 1 : 0;
  for (let end = 0; start < text.length && names.length < limit; start = end + 1) {
    end = indexFrom(text, '&', start);
    if (end === start) continue;
    if (equals < start) equals = indexFrom(text, '=', start);
    names.push(text.slice(start, Math.min(equals, end)));
    values.push(equals < end ? text.slice(equals + 1, end) : '');
  }
  return { names, values, read: hasEscapes(text) ? unescaped : asWritten };
}

/** An escaped character of a name takes at most this many characters: three bytes for a unit of UTF-16. */
const LONGEST_ESCAPE = 9;

/** The beginning of a written piece that holds at least `length` characters once it is read, where the piece has them. */
const beginningOf = (piece: string, length: number) => piece.slice(0, LONGEST_ESCAPE * (length + 1));

/** Whether a written name is this name. A hostile name is read no further than the name is long. */
export function isNamed({ read }: WrittenPairs, written: string, name: string): boolean {
  if (written === name) return read(written) === name;
  return written.length <= LONGEST_ESCAPE * name.length && hasEscapes(written) && read(written) === name;
}

/** Whether a written name begins with this text. */
export function beginsWith({ read }: WrittenPairs, written: string, text: string): boolean {
  return read(beginningOf(written, text.length)).startsWith(text);
}

/**
 * The parameters of a form or a query, in their order, for text without lone surrogates (WHATWG URL,
 * application/x-www-form-urlencoded parsing). Node's parser garbles letters like é beside a percent sign that escapes
 * nothing. It also takes up to ten times as long for a hostile form, and a form is read before its sender is known.
 */
export function parseForm(text: string): NamesAndValues {
  const { names, values, read } = splitForm(text);
  return { names: names.map(read), values: values.map(read) };
}
