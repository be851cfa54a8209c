import { gzipSync } from 'node:zlib';
import { exchangeFields } from '../../support/callers/legacy-calls.ts';
import { json, multipart, rawForm, type RawRequest } from '../../support/callers/raw-request.ts';
import { type Connected, connectApp, expectUnspent, type Fields, postToken } from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';
import { expectTokenError } from '../support/expectations.ts';
import { expectAlive, fastestWithin } from '../support/knock.ts';

/** docs/threats.md T13 and C65 to C68: bodies of every kind, none of which may spend a code by accident. */

type Content = Partial<RawRequest>;

let door: Door;
let connected: Connected;
let code: string;
let fields: Fields;
let form: string;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
});

beforeEach(async () => {
  code = await connected.mint();
  fields = exchangeFields(connected.app, code);
  form = new URLSearchParams(fields).toString();
});

afterAll(async () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  await expectAlive(door);
  await door.stop();
});

async function expectRefused(content: Content, status = 400): Promise<void> {
  expectTokenError(await postToken(door, content), status, 'invalid_request');
  await expectUnspent(door, connected, code);
}

const typed = (type: string | undefined, body: string | Buffer, coding?: string): Content => ({
  body,
  headers: { ...(type && { 'content-type': type }), ...(coding && { 'content-encoding': coding }) },
});

const FORM = 'application/x-www-form-urlencoded';

/** The fields of an exchange among so many in all. */
function withFurther(count: number): Fields {
  const further = Array.from({ length: count - Object.keys(fields).length }, (_, n) => [`f${n}`, 'x']);
  return { ...Object.fromEntries(further), ...fields };
}

// docs/old-api.md Q1 decides: old clients send multipart and JSON bodies too.
test.each<[string, () => Content]>([
  ['a form', () => rawForm(form)],
  ['a form with a charset', () => typed(`${FORM}; charset=UTF-8`, form)],
  ['a form whose type is in capitals', () => typed(FORM.toUpperCase(), form)],
  ['a form in gzip', () => typed(FORM, gzipSync(form), 'gzip')],
  ['C65 a JSON object', () => json(fields)],
  ['C66 multipart', () => multipart(fields)],
  ['multipart of as many parts as are read', () => multipart(withFurther(100))],
])('row T13 %s is exchanged', async (_case, content) => {
  expect(await postToken(door, content())).toMatchObject({ status: 200 });
});

test.each<[string, () => Content]>([
  ['text/plain', () => typed('text/plain', form)],
  ['XML', () => typed('application/xml', '<code/>')],
  ['no content type', () => typed(undefined, form)],
  ['an empty content type', () => ({ body: form, headers: { 'content-type': '' } })],
  ['a broken content type', () => typed(';;=', form)],
  ['a body in UTF-16', () => typed(`${FORM}; charset=utf-16`, Buffer.from(form, 'utf16le'))],
  ['multipart without a boundary', () => typed('multipart/form-data', multipart(fields).body as string)],
  ['multipart of one part too many', () => multipart(withFurther(101))],
  ['multipart that ends early', () => typed('multipart/form-data; boundary=b', '--b\r\nContent-Disp')],
  ['no body at all', () => ({})],
])('rows T13 and C66 %s is invalid_request', async (_case, content) => {
  await expectRefused(content());
});

const JSON_TYPE = 'application/json';

test.each<[string, () => Content]>([
  ['an object as the code', () => json({ ...fields, code: { $ne: 1 } })],
  ['an object that cannot become text', () => json({ ...fields, code: { toString: 1 } })],
  ['an object without a use that cannot become text', () => json({ toString: { toString: 1 }, code: 1 })],
  ['an array as the code', () => json({ ...fields, code: [code] })],
  ['an array as the secret', () => json({ ...fields, client_secret: [fields['client_secret']] })],
  ['null as the code', () => json({ ...fields, code: null })],
  ['a number as the client', () => json({ ...fields, client_id: 1 })],
  ['true as the secret', () => json({ ...fields, client_secret: true })],
  ['a prototype', () => typed(JSON_TYPE, '{"__proto__":{"code":"1/x","polluted":1}}')],
  ['a constructor', () => typed(JSON_TYPE, '{"constructor":{"prototype":{"polluted":1}}}')],
  ['an array', () => json([fields])],
  ['null', () => json(null)],
  ['a text', () => json('code')],
  ['a number', () => json(1)],
  ['broken JSON', () => typed(JSON_TYPE, '{"code":')],
  ['deep nesting that ends early', () => typed(JSON_TYPE, '['.repeat(50_000))],
  ['deep nesting', () => typed(JSON_TYPE, `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)],
])('row C65 JSON with %s is invalid_request', async (_case, content) => {
  await expectRefused(content());
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test.each<[string, string | Buffer]>([
  ['bogus', 'x'],
  ['compress', 'x'],
])('row C66 the coding %s is refused with 415', async (coding, body) => {
  await expectRefused(typed(FORM, body, coding), 415);
});

test('row C66 a body that is not the gzip it says is refused with 400', async () => {
  await expectRefused(typed(FORM, form, 'gzip'));
});

test('row C66 100 MB packed into 100 kB are refused with 413 before they are unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, 'a'));
  const before = door.bridge.memory();
  await expectRefused(typed(FORM, bomb, 'gzip'), 413);
  expect(door.bridge.memory() - before).toBeLessThan(50 * 1024 * 1024);
});

test('row C66 a gzip of gzips is not unpacked twice', async () => {
  await expectRefused(typed(FORM, gzipSync(gzipSync(form)), 'gzip'));
});

test('row C67 1,001 parameters are refused with 400', async () => {
  const many = Array.from({ length: 1001 }, (_, n) => `p${n}=x`).join('&');
  expectTokenError(await postToken(door, rawForm(many)), 400, 'invalid_request');
  await expectRefused(rawForm(`${form}&${many}`));
});

test('row C67 a body of 1 MB is refused with 413', async () => {
  await expectRefused(rawForm(`${form}&x=${'x'.repeat(1024 * 1024)}`), 413);
});

test('row C67 a code of 100 kB is invalid_grant, one of an ignored parameter harms nothing', async () => {
  const long = 'x'.repeat(100 * 1024);
  const answer = await postToken(door, rawForm(new URLSearchParams({ ...fields, code: long }).toString()));
  expectTokenError(answer, 400, 'invalid_grant');
  expect(await postToken(door, rawForm(`${form}&x=${long}`))).toMatchObject({ status: 200 });
});

test('row C67 deep brackets are a name like any other', async () => {
  await expectRefused(rawForm(`code${'[a]'.repeat(2000)}=x&${form}`));
  expect(await postToken(door, rawForm(`a${'[b]'.repeat(2000)}=x&${form}`))).toMatchObject({ status: 400 });
});

test('row C68 prototype and length tricks are answered with 400 within 50 ms', async () => {
  const trick =
    'a[__proto__]=b&a[__proto__]&a[length]=100000000&__proto__[code]=x&constructor[prototype][x]=y';
  const ask = async () => expectTokenError(await postToken(door, rawForm(trick)), 400, 'invalid_request');
  expect(await fastestWithin(50, ask)).toBeLessThan(50);
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});
