import { Agent, request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { cpuOf, type Ground } from './ground.ts';
import { senderOf } from './send.ts';

/** What refusals cost: hostile shapes of requests, each measured against a plain refused one. */

/** A request that is refused. */
export interface Refused {
  name: string;
  /** What it is measured against: a plain refused request of the same kind. */
  kind: 'plain' | 'page';
  method?: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: Buffer;
}

const BODY = 64 * 1024;
const UNPACKED = 256 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';

const filled = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

const PART = '--b\r\nContent-Disposition: form-data; name="access_token"\r\n\r\nx\r\n';
const partIn = (charset: string) =>
  PART.replace('\r\n\r\n', `\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`);
const QUOTED_PART = PART.replace('"access_token"', '"\\""');
const headerLines = (count: number) => filled('a: b\r\n', 6 * count);
const HEAVY_PART = PART.replace('\r\n\r\n', `\r\n${headerLines(45)}\r\n`);
const WIDE_PART = PART.replace('\r\n\r\n', `\r\n${headerLines(160)}\r\n`);

/** Bodies of 64 kB by their content type. */
const PLAIN: ReadonlyArray<[name: string, type: string, body: string]> = [
  ['form of ;', FORM, filled(';', BODY)],
  ['form of a&', FORM, filled('a&', BODY)],
  ['form of 999 names', FORM, filled(`${'a'.repeat(64)}&`, BODY - 100)],
  ['form of %41', FORM, `a=${filled('%41', BODY)}`],
  ['form of %ff', FORM, `a=${filled('%ff', BODY)}`],
  ['form of +', FORM, `a=${filled('+', BODY)}`],
  ['form of escaped names', FORM, filled(`${'%41'.repeat(21)}&`, BODY - 100)],
  ['form of short escaped names', FORM, '%41&'.repeat(999)],
  ['form of % beside letters', FORM, `${'é'.repeat(30)}%&`.repeat(999)],
  ['form of one escaped name', FORM, `%67rant_type=${'%41'.repeat(17)}&`.repeat(999)],
  ['form of escaped tokens', FORM, filled(`access_token=${'%41'.repeat(17)}&`, BODY - 100)],
  ['form of access_token=;', FORM, filled('access_token=;', BODY)],
  ['JSON of [', JSON_TYPE, filled('[', BODY)],
  ['JSON of {"a":', JSON_TYPE, filled('{"a":', BODY)],
  ['JSON of numbers', JSON_TYPE, `{"a":[${filled('0,', BODY)}0]}`],
  ['JSON of objects', JSON_TYPE, `{"a":[${filled('{},', BODY - 2)}0]}`],
  [
    'JSON of names',
    JSON_TYPE,
    `{${Array.from({ length: 6000 }, (_, n) => `"k${n}":"v"`).join(',')},"access_token":"1/x"}`,
  ],
  ['JSON of escapes', JSON_TYPE, `{"access_token":"${filled('\\u0041', BODY - 100)}"}`],
  ['multipart of parts', MULTIPART, filled(PART, BODY)],
  ['multipart of 199 parts', MULTIPART, `${PART.repeat(199)}--b--`],
  ['multipart of 100 parts', MULTIPART, `${PART.repeat(100)}--b--`],
  ['multipart of 100 parts behind a line end', MULTIPART, `\r\n${PART.repeat(100)}--b--`],
  ['multipart of 100 parts, the last with a quote', MULTIPART, `${PART.repeat(99)}${QUOTED_PART}--b--`],
  ['multipart of a charset', MULTIPART, `${partIn('euc-kr').repeat(100)}--b--`],
  ['multipart of a charset that nobody knows', MULTIPART, `${partIn('klingon').repeat(100)}--b--`],
  ['multipart of headers', MULTIPART, filled(HEAVY_PART, BODY)],
  ['multipart of wide headers', MULTIPART, filled(WIDE_PART, BODY)],
  ['multipart of line ends', MULTIPART, `${PART}${filled('\r\n--', BODY)}`],
  ['multipart of a disposition', MULTIPART, PART.replace('; name', `; ${filled('a=b; ', BODY)}name`)],
  ['text', 'text/plain', filled('x', BODY)],
  ['text of %', 'text/plain', filled('%61', BODY)],
  ['text of \\u00', 'text/plain', filled('\\u0061', BODY)],
];

const CODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;

function packed(): Array<Pick<Refused, 'name' | 'headers' | 'body'>> {
  return Object.entries(CODINGS).flatMap(([coding, pack]) =>
    [';', 'a&', '['].map((piece) => ({
      name: `${coding} of ${piece}`,
      headers: { 'content-type': piece === '[' ? JSON_TYPE : FORM, 'content-encoding': coding },
      body: pack(filled(piece, UNPACKED)),
    })),
  );
}

const bodies = (): Array<Pick<Refused, 'name' | 'headers' | 'body'>> => [
  ...PLAIN.map(([name, type, body]) => ({
    name,
    headers: { 'content-type': type },
    body: Buffer.from(body),
  })),
  ...packed(),
  {
    name: 'brotli bomb',
    headers: { 'content-type': FORM, 'content-encoding': 'br' },
    body: brotliCompressSync(Buffer.alloc(64 * 1024 * 1024)),
  },
  {
    name: 'gzip bomb',
    headers: { 'content-type': FORM, 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(48 * 1024 * 1024)),
  },
];

const unknown = newLegacyToken();
const bearer = { authorization: `Bearer ${unknown}` };

const withBodies = (name: string, path: string, given: Record<string, string> = {}): Refused[] =>
  bodies().map((one) => ({
    ...one,
    kind: 'plain' as const,
    name: `${name}: ${one.name}`,
    method: 'POST',
    path,
    headers: { ...one.headers, ...given },
  }));

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

const HEADERS: ReadonlyArray<Pick<Refused, 'name' | 'path' | 'headers'>> = [
  { name: 'query of a&', path: `/1/user.json?${filled('a&', 15_000)}` },
  { name: 'query of %41', path: `/1/user.json?access_token=${filled('%41', 15_000)}` },
  { name: 'query of ;', path: `/1/nothing.json?access_token=${unknown}&${filled(';', 15_000)}` },
  { name: 'query of a token', path: `/1/nothing.json?${filled('access_token=x&', 15_000)}` },
  { name: 'path of segments', path: `/1${filled('/a', 15_000)}` },
  { name: 'path of %41', path: `/1/${filled('%41', 15_000)}` },
  { name: 'path of tokens', path: `/1/${filled('1%252F', 15_000)}` },
  { name: 'path of opaque', path: `/1/${filled('a%41', 15_000)}` },
  {
    name: 'many headers',
    path: '/1/user.json',
    headers: { 'x-a': Array.from({ length: 900 }, () => 'authorization:'), ...bearer },
  },
  {
    name: 'many credentials',
    path: '/1/user.json',
    headers: { authorization: Array.from({ length: 500 }, () => 'Bearer x') },
  },
  {
    name: 'spaces in credentials',
    path: '/1/user.json',
    headers: { authorization: `Bearer${filled(' ', 15_000)}x` },
  },
  {
    name: 'long user agent',
    path: '/1/user.json',
    headers: { ...bearer, 'user-agent': filled('(a/1 ', 15_000) },
  },
  { name: 'long cookies', path: '/1/user.json', headers: { ...bearer, cookie: filled('a=b; ', 15_000) } },
];

const PAGES: ReadonlyArray<Pick<Refused, 'name' | 'path' | 'headers' | 'method' | 'body'>> = [
  { name: 'page: cookies', path: '/apps', headers: { cookie: filled('a=b; ', 15_000) } },
  {
    name: 'page: signed cookies',
    path: '/apps',
    headers: { cookie: filled('gb_session=s%3Aa.b; ', 15_000) },
  },
  {
    name: 'page: approval cookies',
    path: `/approve/${'0'.repeat(24)}`,
    headers: { cookie: filled('gb_browser_a=b; ', 15_000) },
  },
  {
    name: 'page: callback',
    path: `/callback?${filled('state=x&', 15_000)}`,
    headers: { cookie: filled('gb_browser_a=b; ', 15_000) },
  },
  { name: 'page: authorize', path: `/oauth2/authorize?${filled('state=x&', 15_000)}` },
  { name: 'page: path', path: `/${filled('%41', 15_000)}` },
  { name: 'page: query', path: `/support?q=${filled('%41', 15_000)}` },
  ...bodies().map((one) => ({
    ...one,
    name: `page form: ${one.name}`,
    method: 'POST',
    path: `/approve/${'0'.repeat(24)}`,
  })),
];

/** Every hostile shape below /1, at the exchange and at the pages. */
export function hostileShapes(): Refused[] {
  return [
    ...withBodies('served', '/1/user.json'),
    ...withBodies('not served', '/1/updates/create.json'),
    ...withBodies('stranger', '/1/updates/create.json', bearer),
    ...withBodies('token', '/1/oauth2/token.json'),
    ...withBodies('exchange', '/oauth2/exchange'),
    ...HEADERS.map((one) => ({ ...one, kind: 'plain' as const })),
    {
      name: 'long Basic credentials',
      kind: 'plain',
      method: 'POST',
      path: '/1/oauth2/token.json',
      headers: {
        'content-type': FORM,
        ...basic(filled('%41', 5000), filled('%ff', 5000)),
      },
      body: Buffer.from('grant_type=authorization_code&code=1%2Fx'),
    },
    ...PAGES.map((one) => ({ ...one, kind: 'page' as const })),
  ];
}

/** The plain refused requests that the others are measured against, by kind. */
export const CONTROLS: Record<Refused['kind'], Refused> = {
  plain: { name: 'control: a plain refused call', kind: 'plain', path: '/1/user.json', headers: bearer },
  page: { name: 'control: a plain refused page', kind: 'page', path: `/approve/${'0'.repeat(24)}` },
};

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** Its status; 0 where the connection was closed without one. Pages are asked for from many addresses, see there. */
function send(origin: string, { kind, method = 'GET', path, headers = {}, body }: Refused): Promise<number> {
  const { hostname, port } = new URL(origin);
  const given = { ...headers, ...(body && { 'content-length': String(body.length) }) };
  const options = { hostname, port, method, path, headers: given, agent, ...(kind === 'page' && senderOf()) };
  return new Promise((resolve) => {
    const sent = request(options, (answer) => {
      answer.resume();
      answer.once('close', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', () => resolve(0));
    sent.end(body);
  });
}

export interface Cost {
  name: string;
  kind: Refused['kind'];
  status: number;
  /** Milliseconds of CPU of the bridge for one request. */
  cpu: number;
}

/** What one such request costs the bridge, the mean of so many. */
export async function costOf(
  { bridge }: Pick<Ground, 'bridge'>,
  shape: Refused,
  times: number,
): Promise<Cost> {
  let status = await send(bridge.url, shape);
  const before = cpuOf(bridge.pid());
  for (let n = 0; n < times; n++) status = await send(bridge.url, shape);
  return { name: shape.name, kind: shape.kind, status, cpu: (cpuOf(bridge.pid()) - before) / times };
}
