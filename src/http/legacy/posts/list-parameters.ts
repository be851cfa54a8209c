import type { Request } from 'express';
import { LegacyError, REFUSALS } from '../legacy-error.ts';
import { type Parameters, queryParameters } from '../request-parameters.ts';

/** The parameters of the two lists (page, count, since, utc, filter). What cannot be read is refused by its name. */

const DEFAULT_COUNT = 20;
const MOST = 100;

/** The new API reads no later time. */
const LAST_SECOND = 32_503_679_999;

export interface ListParameters {
  page: number;
  count: number;
  /** Unix seconds; 0 for everything. */
  since: number;
  isUtc: boolean;
}

/** The refusal of a value, in the words of the old API and with the name of what cannot be read. */
export function outOfBounds(name: string, rule: string): LegacyError {
  const [status, code, message] = REFUSALS.outOfBounds;
  return new LegacyError([status, code, `${message} ${name} must be ${rule}.`]);
}

interface Bounds {
  least: number;
  most: number;
  otherwise: number;
  rule: string;
}

function readNumber(parameters: Parameters, name: string, { least, most, otherwise, rule }: Bounds): number {
  const text = parameters.get(name);
  if (text === undefined) return otherwise;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most)) throw outOfBounds(name, rule);
  return number;
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes', 'on'].map((text) => [text, true] as const),
  ...['0', 'false', 'no', 'off'].map((text) => [text, false] as const),
]);

/** A flag of the query; absent means no. @throws {LegacyError} */
export function readFlag(parameters: Parameters, name: string): boolean {
  const text = parameters.get(name);
  if (text === undefined) return false;
  const flag = FLAGS.get(text.toLowerCase());
  if (flag === undefined) throw outOfBounds(name, 'true or false');
  return flag;
}

/** Of posts that were not made here the new API does not say whether they are replies, so that both mean every post. */
function checkFilter(parameters: Parameters): void {
  if (!['default', 'all'].includes(parameters.get('filter') ?? 'default'))
    throw outOfBounds('filter', '"default" or "all"');
}

const NAMES = ['page', 'count', 'since', 'utc', 'filter'];

/** @throws {LegacyError} */
export function readListParameters(req: Request): ListParameters {
  const parameters = queryParameters(req);
  const [repeated] = parameters.repeated(NAMES);
  if (repeated !== undefined) throw outOfBounds(repeated, 'one value');
  checkFilter(parameters);
  const page = { least: 0, most: 1_000_000, otherwise: 1, rule: 'a whole number from 1' };
  const count = { least: 1, most: MOST, otherwise: DEFAULT_COUNT, rule: `a whole number from 1 to ${MOST}` };
  const since = { least: 0, most: LAST_SECOND, otherwise: 0, rule: 'a time in Unix seconds' };
  return {
    // A client that counts from 0 means the first page.
    page: Math.max(1, readNumber(parameters, 'page', page)),
    count: readNumber(parameters, 'count', count),
    since: readNumber(parameters, 'since', since),
    isUtc: readFlag(parameters, 'utc'),
  };
}
