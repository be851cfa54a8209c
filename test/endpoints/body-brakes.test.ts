import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { json, rawForm } from '../support/callers/raw-request.ts';
import { type Connected, connectApp } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';
import { expectInvalidToken, expectRefusal, expectTokenError } from './support/expectations.ts';
import { expectAlive, knock } from './support/knock.ts';

/** How much of a body is looked at before its sender is known, and what a body that cannot be read is answered. */

let door: Door;
let connected: Connected;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const form = (token: string, size: number) => `access_token=${token}&text=${'x'.repeat(size)}`;

const packed = (coding: string, body: Buffer, headers: Record<string, string> = {}) => ({
  ...rawForm('', { ...headers, 'content-encoding': coding }),
  body,
});

const post = (content: object, path = '/1/user.json') => knock(door, { method: 'POST', path, ...content });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('a packed body is unpacked for anybody up to 16 kB, and for a known token up to 10 MB', async () => {
  const { token } = connected;
  const [short, long] = [gzipSync(form(token, 15_000)), gzipSync(form(token, 200_000))];
  expect(await post(packed('gzip', short))).toMatchObject({ status: 200 });
  expectRefusal(await post(packed('gzip', long)), 413, 413);
  expectRefusal(await post(packed('gzip', long, bearer(newLegacyToken()))), 413, 413);
  expect(await post(packed('gzip', long, bearer(token)))).toMatchObject({ status: 200 });
  const [large, larger] = [gzipSync(form(token, 9_000_000)), gzipSync(form(token, 11_000_000))];
  expect(await post(packed('gzip', large, bearer(token)))).toMatchObject({ status: 200 });
  expectRefusal(await post(packed('gzip', larger, bearer(token))), 413, 413);
  expect(await post(packed('deflate', deflateSync(form(token, 10))))).toMatchObject({ status: 200 });
  expect(await post(rawForm(form(token, 200_000)))).toMatchObject({ status: 200 });
});

test('Brotli is for known tokens alone, and broken it is 400 like everything that is broken', async () => {
  const { token } = connected;
  const body = brotliCompressSync(form(token, 10));
  expectRefusal(await post(packed('br', body)), 400, 400);
  expect(await post(packed('br', body, bearer(token)))).toMatchObject({ status: 200 });
  const broken = Buffer.from(body.map((byte, at) => (at > 3 ? 255 - byte : byte)));
  expectRefusal(await post(packed('br', broken, bearer(token))), 400, 400);
  expectRefusal(await post(packed('gzip', broken, bearer(token))), 400, 400);
  expectTokenError(await post(packed('br', body), '/1/oauth2/token.json'), 415, 'invalid_request');
});

const MULTIPART = { headers: { 'content-type': 'multipart/form-data; boundary=b' } };

const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test('a body of too many separators is refused unread, and is no matter beside a token in the header', async () => {
  const { token } = connected;
  const many = [
    rawForm(`access_token=${token}&${'a&'.repeat(1000)}`),
    json({ access_token: token, a: Array.from({ length: 3000 }, () => 0) }),
    { ...MULTIPART, body: `${part('access_token', token)}${part('a', 'x').repeat(100)}--b--\r\n` },
    { ...MULTIPART, body: `${part('access_token', token)}${part('a', '\n'.repeat(1300))}--b--\r\n` },
  ];
  for (const { headers, body } of many) {
    expectRefusal(await post({ headers, body }), 400, 400);
    expect(await post({ headers: { ...headers, ...bearer(token) }, body })).toMatchObject({ status: 200 });
  }
  const few = { ...MULTIPART, body: `${part('access_token', token)}${part('a', 'x').repeat(98)}--b--\r\n` };
  expect(await post(few)).toMatchObject({ status: 200 });
});

test('a part without a name is no parameter, and no fault of the bridge', async () => {
  const body = '--b\r\nContent-Disposition: form-data; nama="code"\r\n\r\nx\r\n--b--\r\n';
  const answer = await post({ ...MULTIPART, body }, '/1/oauth2/token.json');
  expectTokenError(answer, 400, 'invalid_request');
});

test('a part in a charset that nobody knows makes a body unreadable, and is not read as empty', async () => {
  const { token } = connected;
  const odd = part('access_token', token).replace(
    '\r\n\r\n',
    '\r\nContent-Type: text/plain; charset=klingon\r\n\r\n',
  );
  const body = `${odd}--b--\r\n`;
  expectRefusal(await post({ ...MULTIPART, body }), 400, 400);
  expect(await post({ headers: { ...MULTIPART.headers, ...bearer(token) }, body })).toMatchObject({
    status: 200,
  });
});

test.each([0, 2000, 9000])('no part stands %i bytes behind the end of a body', async (distance) => {
  const body = `${part('access_token', connected.token)}--b--\r\n${'x'.repeat(distance)}\r\n`;
  // The parser alone takes the first of them for no part.
  const behind = `${part('a', 'x')}${part('access_token', newLegacyToken())}--b--\r\n`;
  expect(await post({ ...MULTIPART, body: body + behind })).toMatchObject({ status: 200 });
});

test('lines of a text that begin with dashes are no parts, however the content type names the boundary', async () => {
  const text = part('text', '\r\n-- x'.repeat(150));
  const body = `${part('access_token', connected.token)}${text}--b--\r\n`;
  for (const type of [
    'multipart/form-data; charset=utf-8; boundary=b',
    'multipart/form-data; boundary="b"; charset=UTF-8',
  ])
    expect(await post({ headers: { 'content-type': type }, body })).toMatchObject({ status: 200 });
});

test('a file part is skipped, wherever it ends', async () => {
  const file = '--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nx';
  expectRefusal(await post({ ...MULTIPART, body: file }), 400, 400);
  const whole = `${file}\r\n${part('access_token', connected.token)}--b--\r\n`;
  expect(await post({ ...MULTIPART, body: whole })).toMatchObject({ status: 200 });
  expectInvalidToken(await post(rawForm(`access_token=${newLegacyToken()}`)));
});
