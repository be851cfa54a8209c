import { MINUTE } from '../../../shared/lifetimes.ts';
import { HEX_ID, OUTSIDE_ID } from '../../../shared/ids.ts';
import { isMailAddress, normalEmail } from '../../../shared/mail/address.ts';
import { RowRefused } from '../refusals.ts';

/** Reads the fields of one row, each by its own rule; null for an absent field. */

export type ImportFields = ReadonlyMap<string, unknown>;

type FieldReader<T> = (fields: ImportFields, name: string) => T | null;

const TEXT_MAX = 2000;

/** Control characters, and characters that hide in a name, turn its direction, or come back changed from a database. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The text of a field, without white space around the text. */
export function readText(fields: ImportFields, name: string, max = TEXT_MAX): string | null {
  const value = fields.get(name);
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new RowRefused('must be text', name);
  const text = value.trim();
  if (text === '') return null;
  if (text.length > max) throw new RowRefused('too long', name);
  if (UNPRINTABLE.test(text.replaceAll('\u200D', '')))
    throw new RowRefused('holds characters that cannot be shown', name);
  return text;
}

/** The value of a field that the row must have. */
export function required<T>(fields: ImportFields, name: string, read: FieldReader<T>): T {
  const value = read(fields, name);
  if (value === null) throw new RowRefused('is missing', name);
  return value;
}

function readMatching(pattern: RegExp, problem: string): FieldReader<string> {
  return (fields, name) => {
    const text = readText(fields, name);
    if (text !== null && !pattern.test(text)) throw new RowRefused(problem, name);
    return text;
  };
}

/** The id of an app, exactly as its program sends it. */
export const readClientId = readMatching(HEX_ID, 'must be 24 hex digits in lower case');

/** The id of an account or a profile, of the old or the new API. */
export const readId = readMatching(OUTSIDE_ID, 'must be an id');

/** A secret as the old API handed the secret out. A percent-encoded secret would never match what programs send. */
export const readSecret = readMatching(
  /^[\x21-\x24\x26-\x7e]{16,512}$/,
  'must be 16 to 512 printable ASCII characters without % and blanks, as it was handed out',
);

const readHex = readMatching(/^[0-9a-fA-F]{64}$/, 'must be the 64 hex digits of a SHA-256');

/** The bytes of a SHA-256. */
export function readSha256(fields: ImportFields, name: string): Buffer | null {
  const hex = readHex(fields, name);
  return hex === null ? null : Buffer.from(hex, 'hex');
}

function emailOf(text: string, name: string): string {
  const email = normalEmail(text);
  if (!isMailAddress(email)) throw new RowRefused('is no e-mail address', name);
  return email;
}

/** An e-mail address in lower case. */
export function readEmail(fields: ImportFields, name: string): string | null {
  const text = readText(fields, name);
  return text === null ? null : emailOf(text, name);
}

/** A list in JSON, or texts with spaces between them, without duplicates. */
function readList(fields: ImportFields, name: string): string[] {
  const value = fields.get(name);
  const parts = Array.isArray(value) ? value : (readText(fields, name, LIST_MAX)?.split(/ +/) ?? []);
  const texts = parts.map((part: unknown) => {
    const text = readText(new Map([[name, part]]), name);
    if (text === null) throw new RowRefused('holds an empty entry', name);
    return text;
  });
  return [...new Set(texts)];
}

const LIST_MAX = 64 * 1024;

/** The e-mail addresses of contacts, in lower case and without duplicates. */
export function readEmails(fields: ImportFields, name: string): string[] {
  return [...new Set(readList(fields, name).map((text) => emailOf(text, name)))];
}

/** A page at an address with one of these schemes would run foreign code, or show files of the machine. */
const NO_CALLBACK = /^(?:javascript|data|vbscript|file|blob|about):/i;

/**
 * Callbacks stay as they are (docs/decisions/0013): http and private schemes are allowed, but each callback must be one
 * absolute address.
 */
export function readCallbacks(fields: ImportFields, name: string): string[] {
  const uris = readList(fields, name);
  for (const uri of uris) {
    if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri))
      throw new RowRefused('is no absolute address', name);
    if (uri.includes('#')) throw new RowRefused('holds a fragment', name);
    if (NO_CALLBACK.test(uri)) throw new RowRefused('has a scheme that no callback may have', name);
  }
  return uris;
}

const UNIX_SECONDS = /^-?\d{1,15}(?:\.\d{1,9})?$/;
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Checks the day first, because `Date.parse` takes the 31st of every month. */
function parseIso(text: string): number {
  const [, year, month, day, zone] = ISO.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return Number.NaN;
  const isWhole = zone !== undefined || text.length === 10;
  return Date.parse(`${text.replace(' ', 'T')}${isWhole ? '' : 'Z'}`);
}

function parseTime(value: unknown): number {
  if (typeof value === 'number') return Math.round(value * 1000);
  if (typeof value !== 'string') return Number.NaN;
  const text = value.trim();
  return UNIX_SECONDS.test(text) ? Math.round(Number(text) * 1000) : parseIso(text);
}

const EARLIEST = Date.UTC(2000, 0, 1);

/** The clocks of two services may differ by this much. */
const AHEAD_MAX = 5 * MINUTE;

/** A time in ISO 8601 (UTC when no zone is named) or Unix seconds, as Unix milliseconds. */
export function readTime(fields: ImportFields, name: string, now: number): number | null {
  const value = fields.get(name);
  if (value === undefined || value === null || value === '') return null;
  const time = parseTime(value);
  if (!Number.isFinite(time)) throw new RowRefused('is no time in ISO 8601 or Unix seconds', name);
  if (time > now + AHEAD_MAX) throw new RowRefused('in the future', name);
  if (time < EARLIEST) throw new RowRefused('before the year 2000', name);
  return time;
}
