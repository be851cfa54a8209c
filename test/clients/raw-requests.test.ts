import { issueToken } from '../support/callers/legacy-calls.ts';
import { json, multipart, type RawRequest, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { type System, startSystem } from '../support/bridge/system.ts';

const PROFILES = '/1/profiles.json';
const encoded = (token: string) => token.replace('/', '%2F');
const header = (scheme: string, token: string) => ({ headers: { authorization: `${scheme} ${token}` } });

/** Every way in which an old client was seen to send its token (facts 3.3, 3.4). */
const carriers: Array<[string, (token: string) => Partial<RawRequest>]> = [
  ['a Bearer header', (token) => header('Bearer', token)],
  ['a lower-case bearer header', (token) => header('bearer', token)],
  ['an upper-case BEARER header', (token) => header('BEARER', token)],
  ['an OAuth header', (token) => header('OAuth', token)],
  ['the query with a raw slash', (token) => ({ path: `${PROFILES}?access_token=${token}` })],
  ['the query with %2F', (token) => ({ path: `${PROFILES}?access_token=${encoded(token)}` })],
  ['the query with a trailing ampersand', (token) => ({ path: `${PROFILES}?access_token=${token}&` })],
  ['a form body on GET', (token) => rawForm(`access_token=${encoded(token)}`)],
  ['a form body with a raw slash on GET', (token) => rawForm(`access_token=${token}`)],
  ['a form body on POST', (token) => ({ method: 'POST', ...rawForm(`access_token=${encoded(token)}`) })],
  [
    'a form body whose content type lacks its semicolon',
    (token) => ({
      method: 'POST',
      ...rawForm(`access_token=${token}`, {
        'content-type': 'application/x-www-form-urlencoded charset=utf-8',
      }),
    }),
  ],
  ['a multipart body on POST', (token) => ({ method: 'POST', ...multipart({ access_token: token }) })],
  ['a JSON body on POST', (token) => ({ method: 'POST', ...json({ access_token: token }) })],
  ['a JSON body on GET', (token) => json({ access_token: token })],
];

describe('the token as old clients send it', () => {
  let system: System;
  let token: string;

  beforeAll(async () => {
    system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' } });
    token = await issueToken(system);
  });

  afterAll(() => system.stop());

  const send = (request: Partial<RawRequest>) => sendRaw(system.bridgeUrl, { path: PROFILES, ...request });

  test.each(carriers)('%s reaches the profiles', async (_name, carry) => {
    const answer = await send(carry(token));

    expect(answer).toMatchObject({ status: 200, json: expect.any(Array) });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });

  test.each(carriers)('a wrong token in %s gets the recorded 401', async (_name, carry) => {
    const answer = await send(carry(`1/${'0'.repeat(32)}`));

    expect(answer).toMatchObject({
      status: 401,
      json: { error: 'The provided access token is invalid', code: 401 },
    });
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  test.each(['multipart/form-data boundary=b', 'multipart/form-data, multipart/form-data; boundary=b'])(
    'a body of the type %s, whose boundary nobody can tell, holds no token',
    async (type) => {
      const answer = await send({ method: 'POST', headers: { 'content-type': type }, body: '--b--\r\n' });
      expect([answer.status, answer.text]).toEqual([401, '']);
    },
  );

  test('a call without a token gets the empty 401 with the single-quoted challenge', async () => {
    const answer = await send({});

    expect(answer).toMatchObject({ status: 401, text: '' });
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(answer.headers['www-authenticate']).toMatch(
      /^OAuth realm='Service', error='invalid_request', error_description='.+'$/,
    );
  });

  test('the same token in two places is one token', async () => {
    expect(
      await send({ ...header('Bearer', token), path: `${PROFILES}?access_token=${token}` }),
    ).toMatchObject({
      status: 200,
    });
  });

  test('two different tokens in one request are refused', async () => {
    const other = `1/${'f'.repeat(32)}`;

    expect(
      await send({ ...header('Bearer', token), path: `${PROFILES}?access_token=${other}` }),
    ).toMatchObject({
      status: 400,
      json: { error: expect.any(String), code: expect.any(Number) },
    });
  });

  test('an unknown path is 404 even without a token', async () => {
    expect(await send({ path: '/1/no/such/thing.json' })).toMatchObject({
      status: 404,
      json: { error: 'The endpoint you requested was not found.', code: 404 },
    });
  });
});

describe('deauthorize as old clients call it', () => {
  let system: System;

  beforeAll(async () => {
    system = await startSystem();
  });

  afterAll(() => system.stop());

  const calls: Array<[string, (token: string) => RawRequest]> = [
    [
      'GET with the token in the query',
      (token) => ({ path: `/1/user/deauthorize.json?access_token=${token}` }),
    ],
    ['GET on the bare path', (token) => ({ path: `/user/deauthorize?access_token=${encoded(token)}` })],
    [
      'POST with a header and no body',
      (token) => ({ method: 'POST', path: '/1/user/deauthorize.json', ...header('Bearer', token) }),
    ],
    [
      'POST with an empty form body',
      (token) => ({ method: 'POST', path: `/1/user/deauthorize.json?access_token=${token}`, ...rawForm('') }),
    ],
    [
      'POST with the token in the body',
      (token) => ({ method: 'POST', path: '/user/deauthorize', ...rawForm(`access_token=${token}`) }),
    ],
  ];

  test.each(calls)('%s revokes the token, and a second call is a 401', async (name, call) => {
    const app = await system.registerApp(`https://${name.length}.example/callback`);
    const token = await issueToken(system, { app });
    expect(await sendRaw(system.bridgeUrl, call(token))).toMatchObject({
      status: 200,
      json: { success: true, message: 'Access successfully revoked!' },
    });

    expect(await sendRaw(system.bridgeUrl, call(token))).toMatchObject({ status: 401 });
    expect(await sendRaw(system.bridgeUrl, { path: PROFILES, ...header('Bearer', token) })).toMatchObject({
      status: 401,
      json: { error: 'The provided access token is invalid', code: 401 },
    });
  });
});
