import busboy from 'busboy';
import type { Request } from 'express';
import { BODY_LIMIT } from './body-limits.ts';
import { type NamesAndValues, parseForm } from './parse-form.ts';
import { hasMoreBytes } from './separators.ts';

/**
 * The parameters of an old call, read once, as plain strings only. The pairs keep their order, so that a repeated
 * parameter can be seen and no parameter becomes an array or an object.
 */
export class Parameters {
  readonly #names: readonly string[];
  readonly #values: readonly string[];
  /** The names of the files beside the parameters. The content of a file is not kept. */
  readonly files: readonly string[];

  constructor({ names, values }: NamesAndValues, files: readonly string[] = []) {
    this.#names = names;
    this.#values = values;
    this.files = files;
  }

  static ofPairs(pairs: ReadonlyArray<readonly [string, string]>, files?: readonly string[]): Parameters {
    const names = pairs.map(([name]) => name);
    return new Parameters({ names, values: pairs.map(([, value]) => value) }, files);
  }

  /** Every value under a name. */
  all(name: string): string[] {
    if (this.#names.length === 0) return [];
    return this.#values.filter((_, index) => this.#names[index] === name);
  }

  /** Every pair, in the order they came. */
  pairs(): ReadonlyArray<readonly [string, string]> {
    return this.#names.map((name, index) => [name, this.#values[index] ?? '']);
  }

  /** The first value; a parameter without a value counts as absent (OAuth 2.0 draft 20 §3.1). */
  get(name: string): string | undefined {
    return this.all(name)[0] || undefined;
  }

  /** The names, repeated names included. */
  names(): readonly string[] {
    return this.#names;
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  /** The names that come more than once; `name[]` and `name[0]` count too. */
  repeated(names: readonly string[]): string[] {
    return names.filter((name) => {
      const bracketed = this.#names.some((key) => key.startsWith(`${name}[`));
      return bracketed || this.all(name).length > 1;
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

/** The parameters in the query of an address. */
export function parametersIn(address: string): Parameters {
  return new Parameters(parseForm(queryIn(address)));
}

const queries = new WeakMap<Request, Parameters>();

/** The query's parameters, decoded once (docs/old-api.md Q2) and parsed once. */
export function queryParameters(req: Request): Parameters {
  const known = queries.get(req);
  if (known) return known;
  const parameters = parametersIn(req.originalUrl);
  queries.set(req, parameters);
  return parameters;
}

/** A body that does not match its content type. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
  /** The parameter that came too often, where one parameter is the cause. */
  readonly field: string | undefined;

  constructor(message: string, options: { cause?: unknown; field?: string | undefined } = {}) {
    super(message, { cause: options.cause });
    this.field = options.field;
  }
}

const MULTIPART_LIMITS = { fields: 100, parts: 100, fieldSize: 64 * 1024, headerPairs: 50 };

/** The lines of all parts together. A part has at most four lines with a meaning, and a post adds a few lines. */
const MULTIPART_LINE_LIMIT = 1200;

/**
 * Whether the body has more lines than any call. Only a known caller may send a large body. A large body may hold
 * files, and many bytes of a file are line ends. There the number of parts and the longest header of the parser limit
 * the work.
 */
function hasTooManyLines(body: Buffer): boolean {
  return body.length <= BODY_LIMIT && hasMoreBytes(body, '\n', MULTIPART_LINE_LIMIT);
}

/** The most frequent name, without its brackets. */
function commonest(pairs: ReadonlyArray<readonly [string, string]>): string | undefined {
  const counts = new Map<string, number>();
  for (const [name] of pairs) {
    const base = name.split('[', 1)[0] ?? '';
    counts.set(base, (counts.get(base) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/** The fields, and the names of files. A failure in the middle of a file is a failure of the parser as well. */
function multipartParameters(body: Buffer, contentType: string): Promise<Parameters> {
  if (hasTooManyLines(body)) return Promise.reject(new MalformedBody('too many lines'));
  return new Promise((resolve, reject) => {
    const refuse = (message: string, cause?: unknown) => reject(new MalformedBody(message, { cause }));
    const pairs: Array<[string, string]> = [];
    const files: string[] = [];
    const refuseMany = (message: string) => reject(new MalformedBody(message, { field: commonest(pairs) }));
    try {
      const parser = busboy({ headers: { 'content-type': contentType }, limits: MULTIPART_LIMITS });
      // A part may have no name, although the types of the parser do not say that.
      parser.on('field', (name: string | undefined, value) => pairs.push([name ?? '', value]));
      parser.on('file', (name: string | undefined, file) => {
        files.push(name ?? '');
        file.on('error', (cause) => refuse('broken multipart body', cause)).resume();
      });
      parser.on('fieldsLimit', () => refuseMany('too many fields'));
      parser.on('partsLimit', () => refuseMany('too many parts'));
      parser.on('error', (cause) => refuse('broken multipart body', cause));
      parser.on('close', () => resolve(Parameters.ofPairs(pairs, files)));
      parser.end(body);
    } catch (cause) {
      refuse('broken multipart body', cause);
    }
  });
}

/** Far more than any call of the old API has. */
const JSON_SEPARATOR_LIMIT = 3000;

/** PHP encodes an empty map as an empty list. An empty list and `null` hold no parameters. */
function jsonPairs(body: Buffer): Array<[string, string]> {
  if (hasMoreBytes(body, '[{,:', JSON_SEPARATOR_LIMIT)) throw new MalformedBody('too many values');
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new MalformedBody('broken JSON body', { cause });
  }
  if (value === null || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value !== 'object' || Array.isArray(value)) throw new MalformedBody('not a JSON object');
  return Object.entries(value).map(([name, item]) =>
    typeof item === 'string' ? [name, item] : [`${name}[]`, ''],
  );
}

const FORM_PARAMETER_LIMIT = 1000;

/**
 * The parameters of a form.
 * @throws {MalformedBody}
 */
export function formParameters(body: Buffer): Parameters {
  if (hasMoreBytes(body, '&', FORM_PARAMETER_LIMIT - 1)) throw new MalformedBody('too many parameters');
  return new Parameters(parseForm(body.toString('utf8')));
}

/** The content types whose bodies carry parameters (docs/old-api.md Q1). */
export type BodyKind = 'none' | 'form' | 'multipart' | 'json' | 'other';

/** The kind of the body, by its content type. An empty body is `none` for every content type. */
export function bodyKind(req: Pick<Request, 'body' | 'headers'>): BodyKind {
  const body: unknown = req.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return 'none';
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  return type === 'application/json' ? 'json' : 'other';
}

const bodies = new WeakMap<Buffer, Promise<Parameters>>();

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
    case 'multipart':
      return multipartParameters(body, req.headers['content-type'] ?? '');
    case 'json':
      return Parameters.ofPairs(jsonPairs(body));
    case 'none':
    case 'other':
      return Parameters.ofPairs([]);
  }
}
