import { json, multipart, rawForm, type RawRequest } from '../support/callers/raw-request.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { type Connected, connectApp } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';
import {
  expectChallenge,
  expectInvalidToken,
  expectMethodRefused,
  expectRefusal,
  expectSound,
} from './support/expectations.ts';
import { expectAlive, getWithLines, knock } from './support/knock.ts';

/** docs/threats.md R1, R2, R5 to R10, D76 to D81, D86, D88, D89: how a token travels. */

const PATH = '/1/profiles.json';

let door: Door;
let connected: Connected;
let token: string;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
  token = connected.token;
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

type Answer = Awaited<ReturnType<typeof knock>>;

function expectProfiles(answer: Answer): void {
  expectSound(answer);
  expect(answer.status).toBe(200);
  expect(Array.isArray(answer.json)).toBe(true);
}

interface Carried {
  header?: string;
  query?: string;
  body?: string;
}

/** A call with a token at each of the named places. */
function call({ header, query, body }: Carried, method = 'POST'): Promise<Answer> {
  const headers = header === undefined ? {} : { authorization: `Bearer ${header}` };
  const path = query === undefined ? PATH : `${PATH}?access_token=${query}`;
  const content = body === undefined ? { headers } : rawForm(`access_token=${body}`, headers);
  return knock(door, { method, path, ...content });
}

// docs/old-api.md Q11 decides: the recorded 401 is empty and names the scheme OAuth.
test.each<[string, Partial<RawRequest>]>([
  ['nothing', {}],
  ['Basic credentials', { headers: { authorization: 'Basic YTpi' } }],
  ['an empty header', { headers: { authorization: '' } }],
  ['the scheme alone', { headers: { authorization: 'Bearer' } }],
  ['the scheme and spaces', { headers: { authorization: 'Bearer   ' } }],
  ['an empty query parameter', { path: `${PATH}?access_token=` }],
  ['an empty body', { method: 'POST', body: '' }],
  ['an empty body parameter', { method: 'POST', ...rawForm('access_token=') }],
])('rows R1, R8 and R10 a call with %s gets the recorded challenge', async (_case, request) => {
  expectChallenge(await knock(door, { path: PATH, ...request }));
});

test('row R10 each parameter of the challenge comes once, in printable ASCII', async () => {
  const challenge = (await knock(door, { path: PATH })).headers['www-authenticate'] ?? '';
  expect(challenge).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  for (const name of ['realm', 'error', 'error_description'])
    expect(challenge.match(new RegExp(`\\b${name}=`, 'g'))).toHaveLength(1);
});

const PLACES: Array<{ where: string; places: Array<keyof Carried> }> = [
  { where: 'header and query', places: ['header', 'query'] },
  { where: 'header and body', places: ['header', 'body'] },
  { where: 'body and query', places: ['body', 'query'] },
  { where: 'header, query and body', places: ['header', 'query', 'body'] },
];

// docs/threats.md R2: the same token twice is fine, different ones are refused.
test.each(PLACES)('rows R2 and D76 the same token in $where is fine', async ({ places }) => {
  expectProfiles(await call(Object.fromEntries(places.map((place) => [place, token]))));
});

test.each(PLACES)('rows R2 and D76 different tokens in $where are 400', async ({ places }) => {
  for (const odd of places) {
    const carried = Object.fromEntries(places.map((place) => [place, token]));
    expectRefusal(await call({ ...carried, [odd]: newLegacyToken() }), 400, 400);
  }
});

test('row D77 two different tokens in the query are 400, the same one twice is fine', async () => {
  expectRefusal(await call({ query: `${token}&access_token=${newLegacyToken()}` }, 'GET'), 400, 400);
  expectRefusal(await call({ query: `${newLegacyToken()}&access_token=${token}` }, 'GET'), 400, 400);
  expectProfiles(await call({ query: `${token}&access_token=${token}` }, 'GET'));
});

const line = (value: string) => `Authorization: Bearer ${value}`;

test('rows R8 and D78 two Authorization headers with different tokens are 400, with the same one fine', async () => {
  expectRefusal(await getWithLines(door, PATH, [line(token), line(newLegacyToken())]), 400, 400);
  expectRefusal(await getWithLines(door, PATH, [line(newLegacyToken()), line(token)]), 400, 400);
  expect(await getWithLines(door, PATH, [line(token), line(token)])).toMatchObject({ status: 200 });
});

test('row D78 a second header of another scheme does not hide the token', async () => {
  const lines = ['Authorization: Basic YTpi', `authorization: Bearer ${token}`];
  expect(await getWithLines(door, PATH, lines)).toMatchObject({ status: 200 });
});

test.each(['bearer TOKEN', 'BEARER TOKEN', 'Bearer  TOKEN', 'Bearer TOKEN ', 'OAuth TOKEN', 'oauth TOKEN'])(
  'rows R7 and D79 "%s" is read',
  async (written) => {
    expectProfiles(
      await knock(door, { path: PATH, headers: { authorization: written.replace('TOKEN', token) } }),
    );
  },
);

// docs/old-api.md Q11 decides: where no token can be read, the recorded 401 names invalid_request in place of a 400.
test.each([
  'Bearer\tTOKEN',
  'BearerTOKEN',
  'Token TOKEN',
  'OAuth2 TOKEN',
  'TOKEN',
  'Bearer:TOKEN',
  'Bearer=TOKEN',
])('rows R8 and D79 "%s" carries no token', async (written) => {
  const authorization = written.replace('TOKEN', token);
  const answer = await getWithLines(door, PATH, [`Authorization: ${authorization}`]);
  expectChallenge(answer);
});

// docs/old-api.md Q11 and docs/threats.md R3 decide: a malformed token is answered like a wrong one.
test.each([
  'Bearer a b',
  'Bearer a,b',
  'Bearer TOKEN x',
  'Bearer "TOKEN"',
  'Bearer TOKEN,',
  'Bearer Bearer TOKEN',
])('rows R8 and R3 "%s" is a wrong token', async (written) => {
  const authorization = written.replace('TOKEN', token);
  expectInvalidToken(await knock(door, { path: PATH, headers: { authorization } }));
});

// docs/old-api.md Q1 decides: the body is read on GET too, as a form, multipart or JSON.
test.each<[string, (value: string) => Partial<RawRequest>]>([
  ['a form', (value) => rawForm(`access_token=${value}`)],
  ['a form with the slash encoded', (value) => rawForm(`access_token=${encodeURIComponent(value)}`)],
  ['multipart', (value) => multipart({ access_token: value })],
  ['JSON', (value) => json({ access_token: value })],
])('rows R5 and D81 a token in %s is read on POST and on GET', async (_case, content) => {
  for (const method of ['POST', 'GET'])
    expectProfiles(await knock(door, { method, path: PATH, ...content(token) }));
});

test('row R5 a body of another type carries no token', async () => {
  const headers = { 'content-type': 'text/plain' };
  expectChallenge(await knock(door, { method: 'POST', path: PATH, headers, body: `access_token=${token}` }));
});

// PHP encodes an empty map as an empty list, so that is a body without parameters.
test.each(['[]', 'null', '{}', '""', 'false'])('row D81 the JSON body %s carries no token', async (body) => {
  const headers = { 'content-type': 'application/json' };
  expectChallenge(await knock(door, { method: 'POST', path: PATH, headers, body }));
});

test.each(['[]', '{"broken":', '"text"'])(
  'row D81 beside a token in the header the body %s changes nothing',
  async (body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    expect(await knock(door, { method: 'POST', path: PATH, headers, body })).toMatchObject({ status: 200 });
  },
);

test.each(['{"access_token":', '[1]', '"text"'])('row D81 the JSON body %s is 400', async (body) => {
  const headers = { 'content-type': 'application/json' };
  expectRefusal(await knock(door, { method: 'POST', path: PATH, headers, body }), 400, 400);
});

test.each(['{"access_token":{"toString":1}}', '{"access_token":{"toString":1,"valueOf":1}}'])(
  'rows D81 and D84 the object in %s is no token',
  async (body) => {
    const headers = { 'content-type': 'application/json' };
    expectChallenge(await knock(door, { method: 'POST', path: PATH, headers, body }));
  },
);

test('row D81 a body that is not the gzip it says is 400', async () => {
  const content = rawForm(`access_token=${token}`, { 'content-encoding': 'gzip' });
  expectRefusal(await knock(door, { method: 'POST', path: PATH, ...content }), 400, 400);
});

test.each(['/', '%2F', '%2f'])('row R7 a slash sent as %s in the query is the slash', async (slash) => {
  expectProfiles(await call({ query: token.replace('/', slash) }, 'GET'));
});

test('row R7 a slash encoded twice is a wrong token', async () => {
  expectInvalidToken(await call({ query: token.replace('/', '%252F') }, 'GET'));
});

test.each(['oauth_token', 'bearer_token', 'token', 'Access_Token', 'access_token[]', 'access_token[0]'])(
  'row R9 the parameter %s is not the one of the old service',
  async (name) => {
    expectChallenge(await knock(door, { path: `${PATH}?${name}=${token}` }));
    expectChallenge(await knock(door, { method: 'POST', path: PATH, ...rawForm(`${name}=${token}`) }));
  },
);

test('row D80 no token holds a plus, and one that is sent with one is a wrong one', async () => {
  expect(token).toMatch(/^1\/[0-9a-f]{32}$/);
  expectInvalidToken(await call({ query: `${token}+` }, 'GET'));
  expectInvalidToken(await call({ query: token.replace(/.$/, '+') }, 'GET'));
});

test.each(['header', 'query', 'body'] as const)(
  'rows R6 and D86 an answer to a token in the %s stays out of caches, and callback= changes nothing',
  async (place) => {
    const answer = await call({ [place]: place === 'query' ? `${token}&callback=steal` : token });
    expectProfiles(answer);
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, no-store',
      vary: 'Authorization',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json;charset=UTF-8',
    });
    expect(answer.text).not.toContain('steal');
  },
);

test('row D88 what was sent comes back in no error, and no parameter redirects', async () => {
  const wrong = newLegacyToken();
  const tail = `access_token=${wrong}&redirect_uri=https://evil.example&next=//evil.example&url=https://evil.example`;
  for (const path of [PATH, '/1/nothing.json', '/1/profiles/x.xml', '/user/deauthorize', '/nothing', '/1']) {
    const answer = await knock(door, { path: `${path}?${tail}` });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(new RegExp(`evil|${wrong.slice(2)}`));
  }
});

test('row D89 neither If-None-Match nor Range changes the answer', async () => {
  const conditions: Array<Record<string, string>> = [
    { 'if-none-match': '*' },
    { 'if-none-match': 'W/"x"' },
    { 'if-modified-since': new Date(Date.now() + 1e6).toUTCString() },
    { range: 'bytes=0-1' },
  ];
  const { text } = await call({ header: token });
  for (const headers of conditions) {
    const answer = await knock(door, {
      path: PATH,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    expectProfiles(answer);
    expect(answer.text).toBe(text);
  }
});

// docs/threats.md B41 decides: HEAD has no effect on any old path.
test.each([PATH, '/1/user.json', '/1/user/deauthorize.json', '/user/deauthorize'])(
  'row D89 HEAD on %s is 405 without a body, and does nothing',
  async (path) => {
    const answer = await knock(door, { method: 'HEAD', path, headers: { authorization: `Bearer ${token}` } });
    expectMethodRefused(answer, 'GET, POST');
    expect(answer.text).toBe('');
    expectProfiles(await call({ header: token }));
  },
);
