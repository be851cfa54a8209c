import { isAscii as isAsciiBytes } from 'node:buffer';

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

function unescapedBytes(bytes: Buffer): string {
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

/** A name, a value or another text in clear. A plus is a space; a percent sign without two digits is kept; bytes that are no UTF-8 become U+FFFD. */
export function unescaped(piece: string): string {
  return hasEscapes(piece) ? unescapedBytes(Buffer.from(piece)) : piece;
}

/** The same for a piece of which each character is a byte. */
function unescapedLatin1(piece: string): string {
  const bytes = Buffer.from(piece, 'latin1');
  return hasEscapes(piece) ? unescapedBytes(bytes) : bytes.toString('utf8');
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

/**
 * The pairs of a form that came as a body. They are divided as bytes, and only what is read becomes text: letters beyond
 * ASCII cost sixty times as much as others, and most bodies of strangers are never read.
 */
export function splitFormBody(body: Buffer): WrittenPairs {
  const pairs = splitForm(body.toString('latin1'));
  const isClear = isAsciiBytes(body) && pairs.read === asWritten;
  return isClear ? pairs : { ...pairs, read: unescapedLatin1 };
}

/** The byte that a percent sign at this place of a written piece stands for, or -1 where no two digits follow. */
function escapedAt(written: string, at: number): number {
  const high = digitOf(written.charCodeAt(at + 1));
  const low = digitOf(written.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** How many written characters make this ASCII text at the beginning of a piece; -1 where the piece begins otherwise. */
function lengthOfSpelling(written: string, text: string): number {
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = written.charCodeAt(at);
    const escaped = code === PERCENT ? escapedAt(written, at) : -1;
    const meant = escaped >= 0 ? escaped : code === PLUS ? SPACE : code;
    // A byte of ASCII stands for itself, whatever stands beside it: nothing has to be decoded to know it.
    if (meant !== text.charCodeAt(index)) return -1;
    at += escaped >= 0 ? 3 : 1;
  }
  return at;
}

type PieceTest = (written: string) => boolean;

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);

/**
 * Whether a written name is this name. The answer costs about as much as the name is long, and keeps nothing: a hostile
 * form has a thousand names, and a reader asks each of them for many.
 */
export function isNamed({ read }: WrittenPairs, name: string): PieceTest {
  if (read === asWritten) return (written) => written === name;
  if (!isAscii(name)) return (written) => read(written) === name;
  return (written) => lengthOfSpelling(written, name) === written.length;
}

/** Whether a written name begins with this text; costs as little as `isNamed`. */
export function beginsWith({ read }: WrittenPairs, text: string): PieceTest {
  if (read === asWritten) return (written) => written.startsWith(text);
  if (!isAscii(text)) return (written) => read(written).startsWith(text);
  return (written) => lengthOfSpelling(written, text) >= 0;
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
