import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { asker, BAKERY } from '../support/api-caller.ts';
import { bearer, withBearer } from '../support/bearers.ts';
import { modern } from '../support/running-modern.ts';

withBearer();

const SOUND = JSON.stringify({ query: '{ account { id } }' });
const JSON_TYPE = 'application/json; charset=utf-8';

/** Each answer takes a few milliseconds; a machine that is busy with other tests gets more. */
const IN_TIME = 10_000;

interface Sending {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends it with the token and, unless another is given, the type of JSON; it must be answered in time. */
async function send({ headers, ...rest }: Sending, path = '/graphql') {
  const started = performance.now();
  const response = await fetch(modern.server.url + path, {
    method: 'POST',
    headers: { authorization: bearer, 'content-type': 'application/json', ...headers },
    ...rest,
  });
  const text = await response.text();
  expect(performance.now() - started).toBeLessThan(IN_TIME);
  return { status: response.status, headers: response.headers, text };
}

/** An answer of the main API that says no in JSON. */
async function refusal(sending: Sending, path?: string) {
  const { status, headers, text } = await send(sending, path);
  expect(headers.get('content-type')).toBe(JSON_TYPE);
  const { errors, ...rest } = JSON.parse(text);
  expect(rest).toEqual({});
  expect(errors[0].message).toEqual(expect.any(String));
  return { status, message: errors[0].message, code: errors[0].extensions?.code };
}

describe('bodies that are no request are 400', () => {
  test.each([
    ['nothing', ''],
    ['malformed JSON', '{ not json'],
    ['JSON that breaks off', '{"query": "{ account { id } }"'],
    ['two documents', '{}{}'],
    ['null', 'null'],
    ['a text', '"{ account { id } }"'],
    ['a number', '1'],
    ['an empty batch', '[]'],
    ['a batch', `[${SOUND}, ${SOUND}]`],
    ['no query', '{}'],
    ['a query that is null', '{"query": null}'],
    ['a query that is a number', '{"query": 1}'],
    ['a query that is a list', '{"query": ["{ account { id } }"]}'],
    ['a query that is an object', '{"query": {"kind": "Document"}}'],
    ['variables that are a list', '{"query": "{ account { id } }", "variables": []}'],
    ['variables that are a text', '{"query": "{ account { id } }", "variables": "{}"}'],
    ['a name that is an object', '{"query": "{ account { id } }", "operationName": {}}'],
    ['extensions that are a text', '{"query": "{ account { id } }", "extensions": "x"}'],
    ['random bytes', randomBytes(1000)],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['JSON in UTF-16 that says it is UTF-8', Buffer.from(SOUND, 'utf16le')],
    ['100,000 brackets', '['.repeat(100_000)],
  ])('%s', async (_what, body) => {
    expect((await refusal({ body })).status).toBe(400);
  });

  test('a query of nothing but space, and an operation that is not there', async () => {
    expect(await refusal({ body: '{"query": " "}' })).toMatchObject({
      status: 400,
      code: 'GRAPHQL_PARSE_FAILED',
    });
    const body = '{"query": "query A { account { id } }", "operationName": "B"}';
    expect(await refusal({ body })).toMatchObject({ status: 400, code: 'OPERATION_RESOLUTION_FAILURE' });
  });
});

describe('content types and encodings', () => {
  test.each([
    ['text/plain', { headers: { 'content-type': 'text/plain' }, body: SOUND }],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'query=x' }],
    [
      'application/graphql',
      { headers: { 'content-type': 'application/graphql' }, body: '{ account { id } }' },
    ],
    [
      'multipart, as for an upload',
      { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' },
    ],
    ['a type that only starts like JSON', { headers: { 'content-type': 'application/jsonx' }, body: SOUND }],
    [
      'UTF-16',
      {
        headers: { 'content-type': 'application/json; charset=utf-16' },
        body: Buffer.from(SOUND, 'utf16le'),
      },
    ],
  ])('%s is 415', async (_what, sending) => {
    expect(await refusal(sending)).toMatchObject({ status: 415, message: 'Unsupported Content-Type' });
  });

  test.each([
    ['an unknown charset', { headers: { 'content-type': 'application/json; charset=klingon' }, body: SOUND }],
    ['an unknown encoding', { headers: { 'content-encoding': 'bogus' }, body: SOUND }],
    ['compress', { headers: { 'content-encoding': 'compress' }, body: SOUND }],
  ])('%s is 415', async (_what, sending) => {
    expect((await refusal(sending)).status).toBe(415);
  });

  test.each(['application/json;charset="utf-8"', 'Application/JSON; charset="UTF-8"'])(
    '%s is JSON (RFC 9110 section 8.3.1)',
    async (type) => {
      const { status, text } = await send({ headers: { 'content-type': type }, body: SOUND });
      expect([status, JSON.parse(text).data.account]).toEqual([200, { id: expect.any(String) }]);
    },
  );

  test('gzip is read, and what is no gzip is 400', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect(JSON.parse((await send({ headers, body: gzipSync(SOUND) })).text).data.account).toBeDefined();
    expect((await refusal({ headers, body: SOUND })).status).toBe(400);
    expect((await refusal({ headers, body: gzipSync(SOUND).subarray(0, 20) })).status).toBe(400);
  });

  test('a body of 300 kB is 413, and so is one that only becomes as large', async () => {
    const large = JSON.stringify({ query: '{ account { id } }', padding: 'x'.repeat(300_000) });
    expect((await refusal({ body: large })).status).toBe(413);
    const before = process.memoryUsage().rss;
    const bomb = gzipSync(Buffer.alloc(100_000_000, 0x20));
    expect((await refusal({ headers: { 'content-encoding': 'gzip' }, body: bomb })).status).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test('the answer is JSON whatever a client says it accepts', async () => {
    const { status, headers } = await send({ headers: { accept: 'text/html' }, body: SOUND });
    expect([status, headers.get('content-type')]).toEqual([200, JSON_TYPE]);
  });
});

describe('other methods', () => {
  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is 405 and names POST', async (method) => {
    const { status, headers, text } = await send({ method }, '/graphql?query=%7Baccount%7Bid%7D%7D');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    expect(JSON.parse(text).errors[0].message).toBe('The main API takes POST only');
    const permissions = [...headers.keys()].filter((name) => name.startsWith('access-control'));
    expect(permissions).toEqual([]);
  });

  test('HEAD is 405 as well', async () => {
    expect((await send({ method: 'HEAD' })).status).toBe(405);
  });

  test.each(['GET', 'OPTIONS', 'PUT'])('%s without a token is 401: who asks comes first', async (method) => {
    const response = await fetch(`${modern.server.url}/graphql`, { method });
    const body = (await response.json()) as { errors: unknown[] };
    expect([response.status, body.errors[0]]).toMatchObject([
      401,
      { extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });

  test('the start page stays a page', async () => {
    const response = await fetch(`${modern.server.url}/`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
  });

  test('no request may come from a script of another site', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const path of ['/', '/graphql']) {
      const answers = [
        await send({ method: 'OPTIONS', headers }, path),
        await send({ headers: { origin: headers.origin }, body: SOUND }, path),
      ];
      for (const answer of answers) {
        expect(answer.status).toBeLessThan(500);
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
  });
});

test('a token is looked at before anything else of the request', async () => {
  for (const sending of [
    { headers: { 'content-encoding': 'bogus' }, body: SOUND },
    { headers: { 'content-type': 'text/plain' }, body: 'x' },
    { body: 'x'.repeat(300_000) },
    { body: '{"query": "{'.padEnd(20_000, '{') },
  ]) {
    const answer = await refusal({
      ...sending,
      headers: { ...sending.headers, authorization: 'Bearer unknown' },
    });
    expect(answer).toEqual({ status: 401, message: 'Access token is not valid', code: 'UNAUTHENTICATED' });
  }
});

test('a request with two tokens is 401, whatever they are', async () => {
  for (const [first, second] of ['Bearer unknown', '', bearer].map((other) => [other, bearer])) {
    const sent = request(`${modern.server.url}/graphql`, {
      method: 'POST',
      headers: ['Host', 'x', 'Authorization', first ?? '', 'Authorization', second ?? ''],
    });
    sent.end(SOUND);
    // oxlint-disable-next-line no-await-in-loop
    const [response] = await once(sent, 'response');
    // oxlint-disable-next-line no-await-in-loop
    expect([response.statusCode, await json(response)]).toMatchObject([
      401,
      { errors: [{ message: 'Access token is not valid' }] },
    ]);
  }
});

describe('variables', () => {
  const FIND = 'query($input: SnippetInput!) { snippet(input: $input) { id } }';
  const CREATE = `mutation($input: CreateSnippetInput!) { createSnippet(input: $input) { __typename } }`;
  const LIST =
    'query($input: IdeasInput!, $first: Int) { ideas(input: $input, first: $first) { edges { cursor } } }';
  const sound = { organizationId: BAKERY, name: 'a', text: 'b' };

  test.each([
    ['none', FIND, {}],
    ['null', FIND, { input: null }],
    ['an id that is a number', FIND, { input: { id: 1 } }],
    ['an id that is null', FIND, { input: { id: null } }],
    ['an id that is a list', FIND, { input: { id: ['a'] } }],
    ['an id that is an operator', FIND, { input: { id: { $ne: null } } }],
    ['a text for an object', FIND, { input: 'id' }],
    ['a field that is not there', FIND, { input: { id: 'a', isAdmin: true } }],
    ['a prototype', FIND, JSON.parse('{ "input": { "id": "a", "__proto__": { "isAdmin": true } } }')],
    ['a constructor', FIND, { input: { id: 'a', constructor: { prototype: {} } } }],
    ['a name that is true', CREATE, { input: { ...sound, name: true } }],
    ['a text that is a number', CREATE, { input: { ...sound, text: 1.5 } }],
    ['a size that is a text', LIST, { input: { organizationId: BAKERY }, first: '10' }],
    ['a size that is a fraction', LIST, { input: { organizationId: BAKERY }, first: 1.5 }],
    ['a size beyond 32 bits', LIST, { input: { organizationId: BAKERY }, first: 2 ** 31 }],
    [
      'an unknown enumeration',
      LIST,
      { input: { organizationId: BAKERY, groupFilter: { membership: 'all' } } },
    ],
  ])('%s: refused, and nothing runs', async (_what, query, variables) => {
    const body = `{"query": ${JSON.stringify(query)}, "variables": ${JSON.stringify(variables)}}`;
    expect(await refusal({ body })).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
  });

  test.each([
    ['an object', (deep: string) => `{"input": ${deep}}`],
    ['an id', (deep: string) => `{"input": {"id": ${deep}}}`],
    ['nothing at all', (deep: string) => `{"input": {"id": 1}, "other": ${deep}}`],
  ])('10,000 levels for %s: refused, and nothing runs', async (_what, variables) => {
    const deep = `${'{"a":['.repeat(10_000)}1${']}'.repeat(10_000)}`;
    const body = `{"query": ${JSON.stringify(FIND)}, "variables": ${variables(deep)}}`;
    expect(await refusal({ body })).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
  });

  test('names of the prototype as variables and keys change nothing', async () => {
    const body = `{"query": "{ account { id } }", "variables": {"__proto__": {"x": 1}, "constructor": 1},
      "__proto__": {"query": "{ nothing }"}, "query": "{ account { email } }"}`;
    const { status, text } = await send({ body });
    // Of a key that comes twice the last counts, as everywhere in JSON.
    expect([status, JSON.parse(text).data.account]).toEqual([200, { email: 'demo@grantbridge.example' }]);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  test('ids of any length and content are only not found', async () => {
    const ask = asker(modern.server.url, bearer);
    for (const id of [
      '',
      ' ',
      '\0',
      "' or 1=1 --",
      '../../etc/passwd',
      '😀'.repeat(1000),
      'x'.repeat(200_000),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- each answer is timed by itself
      const { status, body } = await ask(FIND, { input: { id } });
      expect([status, body.data, body.errors[0].extensions.code]).toEqual([200, null, 'NOT_FOUND']);
    }
  });
});
