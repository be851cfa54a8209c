import { Refusal } from '../../shared/refusals/refusal.ts';

/**
 * The fields of an old call. Forms, multipart bodies, queries and JSON bodies are all converted to pairs: `media[link]`
 * is a field of a map, `profile_ids[]` is an entry of a list.
 */

export type FieldPairs = ReadonlyArray<readonly [name: string, value: string]>;

/** The error codes of the old API for unusable parameters. */
export const FIELD_CODES = {
  unknown: 1003,
  missing: 1004,
  /** Recorded for a text that is longer than the service takes. The table of the old API has no number of its own for it. */
  tooLong: 1004,
  outOfBounds: 1006,
  notSaved: 1022,
  unusableMedia: 1031,
  past: 1034,
};

/** A call with an unusable parameter. `field` is the old name of the parameter. */
export class FieldRefused extends Refusal {
  readonly field: string;
  readonly code: number;
  constructor(field: string, code: number, message: string) {
    super(message);
    this.field = field;
    this.code = code;
  }
}

/** The refusal of a parameter that has an unusable value. */
export function badValue(field: string, why: string): FieldRefused {
  return new FieldRefused(field, FIELD_CODES.outOfBounds, `The parameter ${field} ${why}.`);
}

/**
 * The only value of a field; undefined where the field is absent or empty. The same value twice counts once.
 * @throws {FieldRefused} the field has two values, or is a list or a map
 */
export function single(pairs: FieldPairs, field: string): string | undefined {
  if (pairs.some(([name]) => name.startsWith(`${field}[`)))
    throw badValue(field, 'has to be a single value, not a list or a map');
  const values = new Set(
    pairs.filter(([name, value]) => name === field && value !== '').map(([, value]) => value),
  );
  if (values.size > 1) throw badValue(field, 'was sent more than once with different values');
  return [...values][0];
}

const ENTRY = /^\[\d*\]$/;

/** Far more entries than any list of the old API has. */
const MOST_ENTRIES = 1000;

/** Counts before anything is split: an empty value between two commas costs as much as an id. @throws {FieldRefused} */
function requireFew(values: readonly string[], field: string): void {
  let left = MOST_ENTRIES - values.length;
  for (const value of values)
    for (let at = value.indexOf(','); at >= 0 && left >= 0; at = value.indexOf(',', at + 1)) left -= 1;
  if (left < 0) throw badValue(field, `has more than ${MOST_ENTRIES} values`);
}

/**
 * The values of a list in the order of the call: `name[]`, `name[0]`, the bare name repeated, or ids separated by
 * commas.
 * @throws {FieldRefused} the field is a map or a list of lists, or is far too long
 */
export function entries(pairs: FieldPairs, field: string): string[] {
  const own = pairs.filter(([name]) => name === field || name.startsWith(`${field}[`));
  if (own.some(([name]) => name !== field && !ENTRY.test(name.slice(field.length))))
    throw badValue(field, 'has to be a list of single values');
  const sent = own.map(([, value]) => value);
  requireFew(sent, field);
  const values = sent.flatMap((value) => value.split(',')).map((value) => value.trim());
  return values.filter((value) => value !== '');
}

/** The values of a list, each once. @throws {FieldRefused} the field is a map or a list of lists, or is far too long */
export function list(pairs: FieldPairs, field: string): string[] {
  return [...new Set(entries(pairs, field))];
}

/**
 * A whole number within bounds; undefined where the field is absent.
 * @throws {FieldRefused}
 */
export function wholeNumber(
  pairs: FieldPairs,
  field: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const value = single(pairs, field)?.trim();
  if (value === undefined || value === '') return undefined;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw badValue(field, `has to be a whole number from ${least} to ${most}`);
}

const YES = ['true', '1', 'yes', 'on'];
const NO = ['false', '0', 'no', 'off'];

/** True or false in the spellings of PHP; undefined for any other text. */
export function yesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (YES.includes(word)) return true;
  return NO.includes(word) ? false : undefined;
}

/**
 * True or false; false where the field is absent.
 * @throws {FieldRefused}
 */
export function flag(pairs: FieldPairs, field: string): boolean {
  const value = single(pairs, field);
  const isMeant = value === undefined ? false : yesOrNo(value);
  if (isMeant === undefined) throw badValue(field, 'has to be true or false');
  return isMeant;
}

const LONGEST_ADDRESS = 2048;

/**
 * A complete web address; undefined where the field is absent.
 * @throws {FieldRefused}
 */
export function webAddress(pairs: FieldPairs, field: string): string | undefined {
  const value = single(pairs, field)?.trim();
  if (value === undefined || value === '') return undefined;
  const isUsable =
    value.length <= LONGEST_ADDRESS && /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value);
  if (isUsable) return value;
  throw badValue(field, `has to be a whole http or https address of at most ${LONGEST_ADDRESS} characters`);
}

/**
 * A text of a bounded length; undefined where the field is absent.
 * @throws {FieldRefused}
 */
export function boundedText(pairs: FieldPairs, field: string, longest: number): string | undefined {
  const value = single(pairs, field);
  if (value !== undefined && value.length > longest)
    throw new FieldRefused(
      field,
      FIELD_CODES.tooLong,
      `The parameter ${field} has more than ${longest} characters.`,
    );
  return value;
}
