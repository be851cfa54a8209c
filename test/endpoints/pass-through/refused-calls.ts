import { rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { expectRefusal } from '../support/expectations.ts';
import { exchangeBytes, lastSeen, request, type Stage, TOKEN } from './stage.ts';

/** A token that the bridge does not read, and the old backend may. */
const OTHER = `1/${'b2'.repeat(16)}`;

const typed = (type: string, body: string) => ({ headers: { 'content-type': type }, body });

const field = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const foldedField = `Content-Disposition: form-data;\r\n name="access_token"`;

/** The name in UTF-16, as a byte each in a text of Latin letters. */
const utf16 = Buffer.from('access_token', 'utf16le').toString('latin1');

/** A body with one part of this head. */
const parts = (head: string) =>
  typed('multipart/form-data; boundary=b', `--b\r\n${head}\r\n\r\n${OTHER}\r\n--b--\r\n`);

/** Paths and bodies that the old backend may read in another way than the bridge. */
export function refusingCalls(stage: Stage): void {
  const call = (wanted: RawRequest) =>
    sendRaw(stage.door.bridgeUrl, {
      ...wanted,
      headers: { authorization: `Bearer ${TOKEN}`, ...wanted.headers },
    });

  test.each<[string, string, number]>([
    ['a way out of v1', '/1/../admin.json', 404],
    ['a way out as the id of a profile', '/1/profiles/..%2f..%2fadmin.json', 404],
    ['what a reader may cut off', '/1/x.json#/../../admin', 404],
    ['a hidden way out of v1', '/1/x/%2e%2e%2f..%5cadmin', 404],
    ['the OAuth addresses', '/1/oauth2/other.json', 404],
    ['the OAuth addresses in disguise', '/1//%6fauth2/token.json', 404],
    ['what cannot be decoded', '/1/%zz', 404],
    ['a parameter of a path that leads out', '/1/..;/admin', 404],
    ['the OAuth addresses with a parameter', '/1/oauth2;x/token.json', 404],
    ['the OAuth addresses with a suffix', '/1/OAuth2.json', 404],
    ['what is encoded twice', '/1/%252e%252e/admin', 404],
    ['a hidden name', '/1/.git/config', 404],
    ['an end with three slashes', '/1/user///deauthorize.json', 404],
    ['an end with slashes before and behind it', '//user/deauthorize/', 404],
    ['the OAuth addresses with two slashes', '/1//oauth2/other.json', 404],
    ['the exchange with two slashes', '/1//oauth2/token.json', 405],
    ['an unknown path with two slashes before it', '//1/nothing.json', 404],
    ['an end that is spelled otherwise', '/1/user/de%61uthorize.json', 404],
    ['an end with an encoded suffix', '/1/user/deauthorize%2ejson', 404],
    ['an end with two slashes', '/1//user/deauthorize.json', 404],
    ['an end with a slash behind it', '/1/user/deauthorize/', 404],
    ['an end with more behind it', '/1/user/deauthorize/now', 404],
    ['an end with a parameter', '/1/user/deauthorize;x', 404],
    ['an end in capitals', '/1/user/Deauthorize.json', 404],
    ['an end below another path', '/1/index.php/user/deauthorize', 404],
    ['an end in another format', '/1/user/deauthorize.xml', 406],
  ])('%s never passes', async (_case, path, status) => {
    const sent = request([`GET ${path}?access_token=${TOKEN} HTTP/1.1`, 'Host: b', 'Connection: close']);
    expect((await exchangeBytes(stage, sent)).toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(stage.old.requests).toHaveLength(0);
  });

  test.each<[string, Partial<RawRequest>]>([
    [
      'JSON that names it twice',
      typed('application/json', `{"access_token":"${OTHER}","access_token":"${TOKEN}"}`),
    ],
    [
      'JSON that names it twice in two spellings',
      typed(
        'application/json',
        `{"access\\u005ftoken":"${OTHER}", "x": {"y":"}"}, "access_token" :"${TOKEN}"}`,
      ),
    ],
    ['JSON with more than a text', typed('application/json', `{"access_token":["${OTHER}"]}`)],
    ['broken JSON', typed('application/json', `{"access_token":"${OTHER}",}`)],
    ['a form of another type', typed('text/plain', `access_token=${OTHER}`)],
    ['a form of another type, encoded', typed('text/plain', `%61ccess%5Ftoken=${OTHER}`)],
    [
      'a body whose two types a proxy joined',
      typed('application/json, application/x-www-form-urlencoded', `{"x":"&access_token=${OTHER}&"}`),
    ],
    ['a name that PHP writes as this one', rawForm(`access.token=${OTHER}`)],
    ['a list in the query', { path: `/1/nothing.json?access_token[]=${OTHER}` }],
    [
      'a query after a thousand others',
      { path: `/1/nothing.json?${'a&'.repeat(1000)}access_token=${OTHER}` },
    ],
    ['a semicolon in the query', { path: `/1/nothing.json?x=1;access_token=${OTHER}` }],
    [
      'a file part',
      typed(
        'multipart/form-data; boundary=b',
        `--b\r\nContent-Disposition: form-data; name="access_token"; filename=""\r\n\r\n${OTHER}\r\n--b--\r\n`,
      ),
    ],
    [
      'a part whose name stands on the next line, and whose type makes it a file for some',
      parts(
        `Content-Disposition: form-data;\r\n name="access_token"\r\nContent-Type: application/octet-stream`,
      ),
    ],
    [
      'a part whose name stands on two lines',
      parts('Content-Disposition: form-data; name="access_\r\ntoken"'),
    ],
    [
      'a part with a space in its name, over two lines',
      parts('Content-Disposition: form-data; name="access\r\n token"'),
    ],
    [
      'a part with a second name',
      parts(
        'Content-Disposition: form-data; name="x"\r\nContent-Disposition: form-data; name="access_token"',
      ),
    ],
    [
      'a part of another boundary',
      typed(
        'multipart/form-data; boundary=a; boundary=b',
        `--b\r\n${field('x')}\r\n\r\n\r\n--a\r\n${foldedField}\r\n\r\n${OTHER}\r\n--a--\r\n--b--\r\n`,
      ),
    ],
    [
      'a part of another boundary, the other way round',
      typed(
        'multipart/form-data; boundary=b; boundary=a',
        `--b\r\n${field('x')}\r\n\r\n\r\n--a\r\n${foldedField}\r\n\r\n${OTHER}\r\n--a--\r\n--b--\r\n`,
      ),
    ],
    [
      'a part that some take for a file, behind a value that only one parser takes for a mention',
      typed(
        'multipart/form-data; boundary=b',
        `--b\r\n${field('x')}\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\n${utf16}\r\n--b\r\n${field('access_token')}\r\nContent-Type: application/octet-stream\r\n\r\n${OTHER}\r\n--b--\r\n`,
      ),
    ],
    [
      'a part with two names, behind one with a name in a charset of its own',
      typed(
        'multipart/form-data; boundary=b',
        `--b\r\nContent-Disposition: form-data; name*=utf-8''a%63cess_%74oken\r\n\r\n${TOKEN}\r\n--b\r\nContent-Disposition: form-data; name="x"; name="access_token"\r\n\r\n${OTHER}\r\n--b--\r\n`,
      ),
    ],
    [
      'parts that no parser ends',
      typed('multipart/form-data; boundary=b', `--b\r\n${foldedField}\r\n\r\n${OTHER}`),
    ],
  ])('a call with a second token in %s is refused, not passed', async (_case, wanted) => {
    expectRefusal(await call({ method: 'POST', path: '/1/nothing.json', ...wanted }), 400, 400);
    expect(stage.old.requests).toHaveLength(0);
  });

  test.each(['klingon', 'utf-16le'])(
    'a token in a part of the charset %s does not pass as no token',
    async (charset) => {
      const head = `Content-Disposition: form-data; name="access_token"\r\nContent-Type: text/plain; charset=${charset}`;
      const body = `--b\r\n${head}\r\n\r\n${OTHER}\r\n--b--\r\n`;
      const sent = { path: '/1/nothing.json', ...typed('multipart/form-data; boundary=b', body) };
      const { status } = await sendRaw(stage.door.bridgeUrl, { method: 'POST', ...sent });
      expect([400, 401, 404]).toContain(status);
      expect(stage.old.requests).toHaveLength(0);
    },
  );

  test('two content types are refused; a body that holds no token passes as it is', async () => {
    const lines = [
      'POST /1/nothing.json HTTP/1.1',
      'Host: b',
      `Authorization: Bearer ${TOKEN}`,
      'Connection: close',
    ];
    const types = ['Content-Type: text/plain', 'Content-Type: application/x-www-form-urlencoded'];
    const two = await exchangeBytes(stage, request([...lines, ...types, 'Content-Length: 1'], 'x'));
    expect(two.toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(stage.old.requests).toHaveLength(0);
    const nested = `{"access_token":"${TOKEN}","x":{"access_token":"${TOKEN}"},"y":"access_token"}`;
    const spoken = `--b\r\n${field('text')}\r\n\r\nmy access_token,\r\nmy access token\r\n--b\r\n${field('media')}; filename="a.csv"\r\n\r\naccess_token,1\r\n--b\r\n${field('access_token')}\r\n\r\n${TOKEN}\r\n--b--\r\n`;
    for (const [type, body] of [
      ['text/plain', 'a token'],
      ['application/json', nested],
      ['application/json, application/json; charset=utf-8', nested],
      ['application/json, text/plain, */*', nested],
      ['multipart/form-data; boundary=b', spoken],
    ] as const) {
      await call({ method: 'POST', path: '/1/updates/create.json', ...typed(type, body) });
      expect(lastSeen(stage).body.toString()).toBe(body);
      stage.old.requests.length = 0;
    }
    const both = 'application/json, application/x-www-form-urlencoded';
    await call({ path: '/1/user.json', headers: { 'content-type': both } });
    expect(lastSeen(stage).target).toBe('/1/user.json');
    stage.old.requests.length = 0;
  });

  test('credentials in headers that are not the token stay behind', async () => {
    const lines = [
      `GET /1/user.json?access_token=${TOKEN} HTTP/1.1`,
      'Host: b',
      `Authorization: Bearer\t${OTHER}`,
      'Authorization: Basic YTpi',
      `authorization: OAuth ${TOKEN}`,
      `Authorization: MAC ${OTHER}`,
      'Connection: close',
    ];
    expect((await exchangeBytes(stage, request(lines))).toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(lastSeen(stage).rawHeaders.slice(0, 4)).toEqual([
      'Host',
      new URL(stage.old.url).host,
      'authorization',
      `OAuth ${TOKEN}`,
    ]);
  });
}
