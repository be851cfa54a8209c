import type { Request } from 'express';
import { DateTime } from 'luxon';
import { yesOrNo } from '../../../domain/translation/call-fields.ts';
import { secondsOfUnixTime } from '../../../domain/translation/due-time.ts';
import { LegacyError, REFUSALS } from '../../wire/legacy-error.ts';
import { Parameters } from '../../wire/request-parameters.ts';
import { callPairs } from './call-pairs.ts';

/**
 * The parameters of the two lists (page, count, since, utc, filter). The refusal of an unreadable parameter names the
 * parameter.
 */

const DEFAULT_COUNT = 20;
const MOST = 100;

/** The new API reads no later time. 0 means every time. */
const LAST_SECOND = 32_503_679_999;

export interface ListParameters {
  page: number;
  count: number;
  /** Unix seconds; 0 for everything. */
  since: number;
  isUtc: boolean;
}

/** The refusal of a value: the recorded words of the old API, and the name of the parameter. */
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

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/;
const LONGEST_DATE = 40;

/** Unix seconds of a time in ISO 8601. A time without an offset is in UTC. Undefined for any other text. */
function secondsOfIso(text: string): number | undefined {
  if (!ISO_DATE.test(text) || text.length > LONGEST_DATE) return undefined;
  // Some programs write a space for the T, and one before the offset. An unencoded plus has become a space by now.
  const iso = text
    .replace(/^(\S{10}) /, '$1T')
    .replace(/ (?=[+-])/, '')
    .replace(/ ?(?:UTC|GMT)$/i, 'Z')
    .replace(' ', '+');
  const time = DateTime.fromISO(iso, { zone: 'utc' });
  return time.isValid ? Math.floor(time.toSeconds()) : undefined;
}

/** A real library writes `since` in ISO 8601, although the old documents do not allow that. */
function readSince(parameters: Parameters): number {
  const text = parameters.get('since') ?? '0';
  const seconds = secondsOfIso(text) ?? secondsOfUnixTime(text) ?? Number.NaN;
  if (!(seconds >= 0 && seconds <= LAST_SECOND))
    throw outOfBounds('since', 'a time in Unix seconds or ISO 8601');
  return seconds;
}

/** A flag of a call; absent means no. @throws {LegacyError} */
export function readFlag(parameters: Parameters, name: string): boolean {
  const text = parameters.get(name);
  if (text === undefined) return false;
  const isMeant = yesOrNo(text);
  if (isMeant === undefined) throw outOfBounds(name, 'true or false');
  return isMeant;
}

/**
 * For posts that were not made here, the new API does not say whether they are replies. So both filters mean every
 * post.
 */
function checkFilter(parameters: Parameters): void {
  if (!['default', 'all'].includes(parameters.get('filter') ?? 'default'))
    throw outOfBounds('filter', '"default" or "all"');
}

const NAMES = ['page', 'count', 'since', 'utc', 'filter'];

/**
 * The parameters of a read, from its body and its address: old libraries send a form with GET too. @throws
 * {MalformedBody}
 */
export async function readParameters(req: Request): Promise<Parameters> {
  return Parameters.ofPairs(await callPairs(req));
}

const PAGE = { least: 0, most: 1_000_000, otherwise: 1, rule: 'a whole number from 1' };
const COUNT = { least: 1, most: MOST, otherwise: DEFAULT_COUNT, rule: `a whole number from 1 to ${MOST}` };

/** Of most calls, which have no parameters but perhaps their token. */
const DEFAULTS: ListParameters = { page: 1, count: DEFAULT_COUNT, since: 0, isUtc: false };

const isOnlyToken = (parameters: Parameters) => parameters.names().every((name) => name === 'access_token');

/** What the parameters of a call ask for. @throws {LegacyError} */
export function listParametersIn(parameters: Parameters): ListParameters {
  if (isOnlyToken(parameters)) return DEFAULTS;
  const [repeated] = parameters.repeated(NAMES);
  if (repeated !== undefined) throw outOfBounds(repeated, 'one value');
  checkFilter(parameters);
  return {
    // A client that counts from 0 means the first page.
    page: Math.max(1, readNumber(parameters, 'page', PAGE)),
    count: readNumber(parameters, 'count', COUNT),
    since: readSince(parameters),
    isUtc: readFlag(parameters, 'utc'),
  };
}

/** @throws {LegacyError | MalformedBody} */
export async function readListParameters(req: Request): Promise<ListParameters> {
  return listParametersIn(await readParameters(req));
}
