import { randomBytes, randomInt } from 'node:crypto';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { createLogger } from '../../src/shared/log/logger.ts';
import { formsOf } from '../processes/canaries/forms.ts';

/** Property: 200 random values of each shape, by every carrier, leave no eight characters of theirs in a line. */

let lines: string[] = [];
const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});
const logger = createLogger({ level: 'error', name: 'test', stream });

/** What a caller hands to the logger: a text or an error, and fields. */
type Carrier = (value: string) => [message: unknown, fields?: unknown];

function written([message, fields]: ReturnType<Carrier>): string {
  lines = [];
  if (fields === undefined) logger.error(message);
  else logger.error(message as string, fields);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toContain('\n');
  return lines[0] ?? '';
}

const alphanumeric = (length: number) =>
  Array.from({ length }, () => randomInt(36).toString(36)).map((one, i) => (i % 3 ? one : one.toUpperCase()));

const SHAPES: Record<string, () => string> = {
  'a legacy token': () => `1/${randomBytes(16).toString('hex')}`,
  'a legacy code': () => `1/${alphanumeric(32).join('')}`,
  'an opaque value': () => randomBytes(32).toString('base64url'),
  'a token without its beginning': () => randomBytes(16).toString('hex'),
};

class Told {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  toJSON() {
    return this.#value;
  }
}

const failure = (value: string, options?: ErrorOptions) => new Error(`refused ${value} there`, options);
const twice = (value: string) => encodeURIComponent(encodeURIComponent(value));
const stringify = (value: unknown) => JSON.stringify(value);

function axiosLike(value: string): Error {
  const config = {
    headers: { Authorization: `Bearer ${value}` },
    data: `refresh_token=${value}`,
    url: value,
  };
  const response = { data: { access_token: value }, request: { path: value } };
  return Object.assign(new Error('Request failed'), { config, request: { _header: value }, response });
}

function cyclic(value: string): object {
  const one: Record<string, unknown> = { value };
  one['self'] = [one, new Map([[value, one]])];
  return one;
}

const throwing = (value: string) => ({
  get value() {
    throw new Error(value);
  },
});

const CARRIERS: Record<string, Carrier> = {
  'a text': (value) => [`before ${value} after`],
  'a query': (value) => [`GET /1/user.json?a=1&x=${value}&b=2`],
  'an encoded query': (value) => [`GET /1/user.json?x=${encodeURIComponent(value)}`],
  'a query encoded twice': (value) => [`GET /%3Fx%3D${twice(value)}`],
  'a value encoded whole': (value) => [Buffer.from(value).toString('hex').replaceAll(/../g, '%$&')],
  'a path': (value) => ['request', { path: `/1/profiles/${value}.json` }],
  'a header': (value) => [`Authorization: Bearer ${value}\r\nX-Other: ${value}\r\n`],
  'a cookie header': (value) => [`Cookie: a=${value}; b=${value}`],
  'a Basic header': (value) => [`Basic ${Buffer.from(`${'a'.repeat(24)}:${value}`).toString('base64')}`],
  base64url: (value) => [`x ${Buffer.from(value).toString('base64url')}`],
  hex: (value) => [`x ${Buffer.from(value).toString('hex')}`],
  JSON: (value) => [stringify({ x: value, list: [value] })],
  'JSON in JSON in JSON': (value) => [stringify({ x: stringify({ x: stringify({ x: value }) }) })],
  'JSON with escaped slashes': (value) => [stringify({ x: value }).replaceAll('/', '\\/')],
  HTML: (value) => [`<input value="${value.replace('/', '&#x2F;')}">`],
  'lines of a text': (value) => [`one\n${value}\r\n  ${value}\ttwo`],
  'an address with a password': (value) => [`connecting to postgres://user:${value}@db.example/name`],
  'an error': (value) => ['failed', { error: failure(value) }],
  'an error alone': (value) => [failure(value)],
  'an error in place of fields': (value) => ['failed', Object.assign(failure(value), { extra: value })],
  'a cause': (value) => ['failed', { error: new Error('x', { cause: failure(value, { cause: value }) }) }],
  'an error of another library': (value) => ['failed', { error: axiosLike(value), list: [axiosLike(value)] }],
  'one in place of fields': (value) => ['failed', axiosLike(value)],
  'a thrown text': (value) => ['failed', { error: { deep: [value, { value }] } }],
  fields: (value) => ['x', { value, nested: { list: [value, [value]] } }],
  'the name of a field': (value) => ['x', { [value]: 1, nested: { [value]: 1 } }],
  'a sensitive name': (value) => [
    'x',
    { accessToken: value, 'refresh_token[]': [value], headers: { a: value } },
  ],
  collections: (value) => ['x', { map: new Map([[value, value]]), set: new Set([value]) }],
  bytes: (value) => ['x', { bytes: Buffer.from(value), plain: Buffer.from(value).toJSON(), big: 1n }],
  'a getter': (value) => [
    'x',
    {
      get value() {
        return value;
      },
    },
  ],
  'a getter that throws': (value) => ['x', { nested: throwing(value) }],
  'a cyclic value': (value) => ['x', cyclic(value)],
  symbols: (value) => ['x', { [Symbol(value)]: value, symbol: Symbol(value) }],
  'a value with an opinion': (value) => ['x', { told: new Told(value), own: { toJSON: () => value } }],
  'objects of the platform': (value) => [
    'x',
    {
      url: new URL(`https://a.example/?x=${value}`),
      headers: new Headers({ x: value }),
      form: new URLSearchParams({ x: value }),
    },
  ],
  'what inspect shows': (value) => [inspect({ value, nested: axiosLike(value) }, { depth: 9 })],
};

function windowsOf(value: string): string[] {
  const bare = value.replace(/^1\//, '');
  return Array.from({ length: bare.length - 7 }, (_, start) => bare.slice(start, start + 8));
}

const partsOf = (value: string) => ({
  value,
  parts: [...formsOf(value).map(({ text }) => text), ...windowsOf(value)],
});

function leaksOf(canaries: ReadonlyArray<ReturnType<typeof partsOf>>, carrier: Carrier): string[] {
  const leaking = canaries.filter(({ value, parts }) => {
    const line = written(carrier(value));
    return parts.some((text) => line.includes(text));
  });
  return leaking.map(({ value }) => value);
}

describe.each(Object.entries(SHAPES))('200 times %s', (_shape, make) => {
  const canaries = Array.from({ length: 200 }, make).map(partsOf);
  test.each(Object.entries(CARRIERS))('leave no trace as %s', (_carrier, carrier) => {
    expect(leaksOf(canaries, carrier)).toEqual([]);
  });
});

/** An app's own secret may look like anything; only its name tells. */
const anySecret = () => {
  const letters = Array.from({ length: randomInt(12, 20) }, () => String.fromCharCode(randomInt(33, 127)));
  return `${letters.join('')}.,-~`;
};

test.each<[string, Carrier]>([
  ['a query', (value) => [`/x?client_id=1&client_secret=${encodeURIComponent(value)}&b=2`]],
  [
    'a query encoded again',
    (value) => [encodeURIComponent(`client_secret=${encodeURIComponent(value)}&b=2`)],
  ],
  ['JSON', (value) => [stringify({ client_secret: value, b: 2 })]],
  ['a list in JSON', (value) => [stringify({ client_secret: [value], b: 2 })]],
  ['JSON in JSON', (value) => [stringify({ body: stringify({ client_secret: value, b: 2 }) })]],
  ['JSON in JSON in JSON', (value) => [stringify([stringify([stringify({ password: value, b: 2 })])])]],
  ['encoded JSON', (value) => [encodeURIComponent(stringify({ client_secret: value, b: 2 }))]],
  ['what inspect shows', (value) => [inspect({ client_secret: value, b: 2 })]],
  ['a field', (value) => ['x', { clientSecret: value, form: { client_secret: value, password: [value] } }]],
  ['an error', (value) => ['x', { error: new Error(`no: {"client_secret":${stringify(value)}}`) }]],
  ['a Basic header', (value) => [`Authorization: Basic ${Buffer.from(`id:${value}`).toString('base64')}`]],
  ['broken JSON', (value) => ['x', { error: errorOf(() => JSON.parse(`{"x":${value}`) as unknown) }]],
])('200 secrets of any shape leave no trace as %s', (_carrier, carrier) => {
  const canaries = Array.from({ length: 200 }, anySecret).map(partsOf);
  expect(leaksOf(canaries, carrier)).toEqual([]);
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
