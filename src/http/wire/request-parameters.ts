import type { Request } from 'express';
import { MalformedBody } from './bodies/malformed-body.ts';
import { readMultipart } from './bodies/read-multipart.ts';
import { beginsWith, inClear, isNamed, splitForm, splitFormBody, type WrittenPairs } from './parse-form.ts';
import { hasMoreBytes } from './separators.ts';
import { Note } from '../../shared/memory/note.ts';

/**
 * The parameters of an old call, read once, as plain strings only. The pairs keep their order, so that a repeated
 * parameter can be seen and no parameter becomes an array or an object.
 */
export class Parameters {
  readonly #pairs: WrittenPairs;
  /** The names of the files beside the parameters. The content of a file is not kept. */
  readonly files: readonly string[];

  constructor(pairs: WrittenPairs, files: readonly string[] = []) {
    this.#pairs = pairs;
    this.files = files;
  }

  static ofPairs(pairs: ReadonlyArray<readonly [string, string]>, files?: readonly string[]): Parameters {
    const names = pairs.map(([name]) => name);
    return new Parameters(inClear({ names, values: pairs.map(([, value]) => value) }), files);
  }

  /** Every value under a name. */
  all(name: string): string[] {
    return this.#writtenUnder(name).map(this.#pairs.read);
  }

  #writtenUnder(name: string): string[] {
    const { names, values } = this.#pairs;
    if (names.length === 0) return [];
    const isWanted = isNamed(this.#pairs, name);
    return values.filter((_, index) => isWanted(names[index] ?? ''));
  }

  /** Every pair, in the order they came. */
  pairs(): ReadonlyArray<readonly [string, string]> {
    const { values, read } = this.#pairs;
    return this.names().map((name, index) => [name, read(values[index] ?? '')]);
  }

  /** The first value; a parameter without a value counts as absent (OAuth 2.0 draft 20 §3.1). */
  get(name: string): string | undefined {
    const [first = ''] = this.#writtenUnder(name);
    return this.#pairs.read(first) || undefined;
  }

  /** The names, repeated names included. */
  names(): readonly string[] {
    const { names, read } = this.#pairs;
    return names.map(read);
  }

  has(name: string): boolean {
    return this.#pairs.names.some(isNamed(this.#pairs, name));
  }

  /** The names that come more than once; `name[]` and `name[0]` count too. */
  repeated(names: readonly string[]): string[] {
    return names.filter((name) => {
      const isBracketed = this.#pairs.names.some(beginsWith(this.#pairs, `${name}[`));
      return isBracketed || this.#writtenUnder(name).length > 1;
    });
  }
}

/** The text after the first `?` of an address, as it was sent. */
function queryIn(address: string): string {
  const start = address.indexOf('?');
  return start < 0 ? '' : address.slice(start + 1);
}

/** The text after the first `?` of the address of a call, as it was sent. */
export function rawQuery(req: Request): string {
  return queryIn(req.originalUrl);
}

/** No call has as many parameters in its query or its form. PHP leaves out further ones by default. */
const PARAMETER_LIMIT = 1000;

const NO_PARAMETERS = new Parameters(splitForm(''));

/** The first parameters in the query of an address. A passed call has no more (`hasMoreInQuery`). */
export function parametersIn(address: string): Parameters {
  const query = queryIn(address);
  return query === '' ? NO_PARAMETERS : new Parameters(splitForm(query, PARAMETER_LIMIT));
}

/** Whether the query of a call may have parameters that `queryParameters` leaves out. */
export function hasMoreInQuery(req: Request): boolean {
  return hasMoreBytes(Buffer.from(rawQuery(req)), '&', PARAMETER_LIMIT - 1);
}

const queries = new Note<Request, Parameters>();

/** The query's parameters, decoded once (docs/old-api.md Q2) and parsed once. */
export function queryParameters(req: Request): Parameters {
  const known = queries.get(req);
  if (known) return known;
  const parameters = parametersIn(req.originalUrl);
  queries.set(req, parameters);
  return parameters;
}

/** Far more than any call of the old API has. */
const JSON_SEPARATOR_LIMIT = 3000;

/**
 * PHP encodes an empty map as an empty list, and some programs encode the body that they do not have: `null`, `""`, `false`.
 * None of these holds parameters.
 */
function jsonPairs(body: Buffer): Array<[string, string]> {
  if (hasMoreBytes(body, '[{,:', JSON_SEPARATOR_LIMIT)) throw new MalformedBody('too many values');
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new MalformedBody('broken JSON body', { cause });
  }
  if (!value || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value !== 'object' || Array.isArray(value)) throw new MalformedBody('not a JSON object');
  return Object.entries(value).map(([name, item]) =>
    typeof item === 'string' ? [name, item] : [`${name}[]`, ''],
  );
}

/**
 * The parameters of a form.
 * @throws {MalformedBody}
 */
export function formParameters(body: Buffer): Parameters {
  if (hasMoreBytes(body, '&', PARAMETER_LIMIT - 1)) throw new MalformedBody('too many parameters');
  return new Parameters(splitFormBody(body));
}

/** The content types whose bodies carry parameters (docs/old-api.md Q1). */
export type BodyKind = 'none' | 'form' | 'multipart' | 'json' | 'other';

/**
 * What may stand behind a content type. PHP ends it at each of these, so the old API read the forms of programs that forget
 * the semicolon (`application/x-www-form-urlencoded charset=utf-8`) or write the type twice.
 */
const AFTER_TYPE = /[;,\s]/;

/** Without its semicolon a multipart type names no boundary that the bridge can read. */
const isMultipart = (header: string) => /^multipart\/form-data\s*(?:;|$)/i.test(header);

/** The kind of the body, by its content type. An empty body is `none` for every content type. */
export function bodyKind(req: Pick<Request, 'body' | 'headers'>): BodyKind {
  const body: unknown = req.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return 'none';
  const header = req.headers['content-type'] ?? '';
  const type = header.split(AFTER_TYPE, 1)[0]?.toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (isMultipart(header)) return 'multipart';
  return type === 'application/json' ? 'json' : 'other';
}

const bodies = new Note<Buffer, Promise<Parameters>>();

/**
 * The body's parameters, parsed once. A body of another kind has none.
 * @throws {MalformedBody}
 */
export function bodyParameters(req: Request): Promise<Parameters> {
  const body: unknown = req.body;
  if (!Buffer.isBuffer(body)) return parseBody(req);
  const known = bodies.get(body);
  if (known) return known;
  const parsing = parseBody(req);
  bodies.set(body, parsing);
  return parsing;
}

async function parseBody(req: Request): Promise<Parameters> {
  const body = req.body as Buffer;
  switch (bodyKind(req)) {
    case 'form':
      return formParameters(body);
    case 'multipart': {
      const { pairs, files } = await readMultipart(body, req.headers['content-type'] ?? '');
      return Parameters.ofPairs(pairs, files);
    }
    case 'json':
      return Parameters.ofPairs(jsonPairs(body));
    case 'none':
    case 'other':
      return Parameters.ofPairs([]);
  }
}
