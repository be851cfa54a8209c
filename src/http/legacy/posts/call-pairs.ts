import type { Request } from 'express';
import {
  badValue,
  FIELD_CODES,
  FieldRefused,
  type FieldPairs,
} from '../../../domain/translation/call-fields.ts';
import { endOfText } from '../../wire/bodies/end-of-text.ts';
import { MalformedBody } from '../../wire/bodies/malformed-body.ts';
import { bodyKind, bodyParameters, type Parameters, queryParameters } from '../../wire/request-parameters.ts';

/**
 * The parameters of a call about posts, as pairs. A JSON body may nest lists and maps; nested values get the names that
 * they have in a form. This file does not look for tokens (bearer-token.ts does).
 */

const DEEPEST = 5;

/** The name of a map is repeated in the name of each value, so a long name would be in memory many times. */
const LONGEST_NAME = 100;

/** The most values of one parameter. */
const MOST_VALUES = 1000;

type ParameterPairs = Array<[string, string]>;

/** @throws {FieldRefused} */
function nameUnder(name: string, key: string | number): string {
  if (name.length + String(key).length > LONGEST_NAME)
    throw badValue(name, `holds a name of more than ${LONGEST_NAME} characters`);
  return `${name}[${key}]`;
}

/**
 * `media: {link: …}` is `media[link]`, `profile_ids: [a]` is `profile_ids[]`. `null` and an empty list are absent.
 * @throws {FieldRefused}
 */
function pairsUnder(name: string, value: unknown, depth: number): ParameterPairs {
  if (value === null) return [];
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object') return [[name, JSON.stringify(value)]];
  if (depth === DEEPEST) return [[nameUnder(name, ''), '']];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      pairsUnder(nameUnder(name, key), inner, depth + 1),
    );
  return value.flatMap((inner: unknown, index) => {
    const isNested = typeof inner === 'object' && inner !== null;
    return pairsUnder(nameUnder(name, isNested ? index : ''), inner, depth + 1);
  });
}

/** @throws {FieldRefused} */
function pairsOfParameter(name: string, value: unknown): ParameterPairs {
  if (name.length > LONGEST_NAME)
    throw badValue(`${name.slice(0, LONGEST_NAME)}…`, `has a name of more than ${LONGEST_NAME} characters`);
  // Some programs send a JSON list under the name that it has in a form.
  const plain = Array.isArray(value) && name.endsWith('[]') ? name.slice(0, -2) : name;
  const pairs = pairsUnder(plain, value, 0);
  if (pairs.length > MOST_VALUES) throw badValue(name, `has more than ${MOST_VALUES} values`);
  return pairs;
}

/** The start of a text, or of a number. Outside of its texts a valid document has no other quotation mark or digit. */
const TEXT_OR_NUMBER = /["\d-]/g;

/** The first character after a number. */
const NO_NUMBER = /[^\d.e+-]/gi;

/** From sixteen digits on, a number may lose its last ones when it is parsed. */
const MANY_DIGITS = /\d{16}/;

/**
 * No expression here repeats without an end: to count millions of digits takes more memory than an expression has. A token
 * begins with a digit or a sign.
 */
const isLongWhole = (token: string) => MANY_DIGITS.test(token) && !/[.e]/i.test(token);

function endOfNumber(document: string, from: number): number {
  const end = new RegExp(NO_NUMBER);
  end.lastIndex = from;
  return end.exec(document)?.index ?? document.length;
}

/**
 * Writes each long whole number of a valid document as a text. Ids are that long, and with other digits they name another
 * post or board.
 */
function withWholeNumbers(document: string): string {
  if (!MANY_DIGITS.test(document)) return document;
  let whole = '';
  let copied = 0;
  const next = new RegExp(TEXT_OR_NUMBER);
  for (let found = next.exec(document); found; found = next.exec(document)) {
    const isText = found[0] === '"';
    next.lastIndex = isText ? endOfText(document, found.index) : endOfNumber(document, found.index);
    const token = isText ? '' : document.slice(found.index, next.lastIndex);
    if (!isLongWhole(token)) continue;
    whole += `${document.slice(copied, found.index)}"${token}"`;
    copied = next.lastIndex;
  }
  return whole + document.slice(copied);
}

/** The search for a token has already parsed the body once, and has limited how many values it may have. */
function nestedPairs(body: Buffer): ParameterPairs {
  const value: unknown = JSON.parse(withWholeNumbers(body.toString('utf8')));
  return Object.entries(Object(value)).flatMap(([name, inner]) => pairsOfParameter(name, inner));
}

/** @throws {FieldRefused} the old API took addresses of media, and the new API takes addresses alone */
function requireNoMediaFile({ files }: Parameters): void {
  const file = files.find((name) => /^(?:extra_)?media(\[|$)/.test(name));
  if (file === undefined) return;
  const message = `The parameter ${file} is a file: it has to be the address of one.`;
  throw new FieldRefused(file, FIELD_CODES.unusableMedia, message);
}

async function readBody(req: Request): Promise<Parameters> {
  try {
    return await bodyParameters(req);
  } catch (error) {
    if (!(error instanceof MalformedBody) || error.field === undefined) throw error;
    throw badValue(error.field.slice(0, LONGEST_NAME), 'is sent too often in one body');
  }
}

async function bodyPairs(req: Request): Promise<FieldPairs> {
  const parameters = await readBody(req);
  requireNoMediaFile(parameters);
  return bodyKind(req) === 'json' ? nestedPairs(req.body as Buffer) : parameters.pairs();
}

const baseOf = (name: string) => name.split('[')[0];

/** The pairs of the body, and the pairs of the query whose names are not in the body. */
export function mergedPairs(body: FieldPairs, query: Parameters): FieldPairs {
  const named = new Set(body.map(([name]) => baseOf(name)));
  return [...body, ...query.pairs().filter(([name]) => !named.has(baseOf(name)))];
}

/**
 * The pairs of a call.
 * @throws {MalformedBody | FieldRefused}
 */
export async function callPairs(req: Request): Promise<FieldPairs> {
  return mergedPairs(await bodyPairs(req), queryParameters(req));
}
