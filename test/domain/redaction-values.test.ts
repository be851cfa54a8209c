import {
  isErrorLike,
  PlainWords,
  redactText,
  redactValue,
  reduceError,
} from '../../src/shared/log/redaction.ts';

/** What is left of a value or a text before it reaches a line, form by form (docs/decisions/0020). */

const MASK = '[redacted]';
const TOKEN = `1/${'ab12'.repeat(8)}`;
const OPAQUE = 'Zx9_'.repeat(11);

test.each<[name: string, value: unknown, left: unknown]>([
  ['a number', 7, 7],
  ['a boolean', false, false],
  ['null', null, null],
  ['nothing', undefined, undefined],
  ['a bigint', 7n, '7'],
  ['a function', () => TOKEN, undefined],
  ['a text', `see ${TOKEN}`, `see ${MASK}`],
  ['bytes', Buffer.from('secret'), '[bytes]'],
  ['a view of bytes', new Uint16Array(2), '[bytes]'],
  ['bytes after JSON', { type: 'Buffer', data: [98, 121] }, '[bytes]'],
  ['an object of the type Buffer', { type: 'Buffer', data: 'none' }, { type: 'Buffer', data: 'none' }],
  ['an object with data', { type: 'other', data: [1] }, { type: 'other', data: [1] }],
  ['a list', ['a', { b: TOKEN }], ['a', { b: MASK }]],
  ['a long list', Array.from({ length: 101 }, (_, i) => i), Array.from({ length: 100 }, (_, i) => i)],
  ['a name that is a token', { [TOKEN]: 1 }, { [MASK]: 1 }],
  [
    'a getter that throws',
    {
      get a() {
        throw new Error('no');
      },
    },
    { a: '[unreadable]' },
  ],
  ['six levels', { a: { a: { a: { a: { a: { b: 1 } } } } } }, { a: { a: { a: { a: { a: { b: 1 } } } } } }],
  [
    'seven levels',
    { a: { a: { a: { a: { a: { a: {} } } } } } },
    { a: { a: { a: { a: { a: { a: '[deep]' } } } } } },
  ],
  ['lists in each other', [[[[[[[]]]]]]], [[[[[['[deep]']]]]]]],
])('of %s', (_name, value, left) => {
  expect(redactValue(value)).toEqual(left);
});

const DROPPED =
  'token access_token clientSecret password code_verifier challenge Cookie set-cookie authorization csrf key apiKey token[] secret[0] token[a1] location Referer code state body config request response headers';
const SHOWN =
  'tokens keys tokenId key_id status statement codes bodyLength path message requestId locations token[a-b]';

test.each(DROPPED.split(' '))('the value under the name %s is dropped', (name) => {
  expect(redactValue({ [name]: 'x' })).toEqual({ [name]: MASK });
});

test.each(SHOWN.split(' '))('the value under the name %s is shown', (name) => {
  expect(redactValue({ [name]: 'x' })).toEqual({ [name]: 'x' });
});

test.each<[unknown, string]>([
  ['text with ' + TOKEN, `text with ${MASK}`],
  [null, 'null'],
  [7, '7'],
])('what was thrown and is no error is told as text: %j', (thrown, message) => {
  expect(reduceError(thrown)).toEqual({ name: 'NonError', message });
});

test('of an error only the named fields are left, each redacted', () => {
  const error = Object.assign(new TypeError(`bad ${TOKEN}`), {
    code: `E ${TOKEN}`,
    status: 503,
    stack: `at ${TOKEN}`,
    cause: { message: 'inner', name: 7, code: 7, status: '7', stack: 7 },
    other: 'x',
  });
  expect(reduceError(error)).toEqual({
    name: 'TypeError',
    message: `bad ${MASK}`,
    code: `E ${MASK}`,
    status: 503,
    stack: `at ${MASK}`,
    cause: { name: 'Error', message: 'inner' },
  });
  expect(reduceError({})).toEqual({ name: 'Error', message: '' });
});

test('causes are told three deep', () => {
  const chain = (depth: number): object => (depth === 0 ? {} : { cause: chain(depth - 1) });
  const told = (depth: number): object => ({
    name: 'Error',
    message: '',
    ...(depth > 0 && { cause: told(depth - 1) }),
  });
  expect([3, 4].map((depth) => reduceError(chain(depth)))).toEqual([told(3), told(3)]);
});

test('our own words stay as they are', () => {
  const words = new PlainWords(`postgres://USER:PASSWORD@HOST`);
  expect(reduceError(words)).toMatchObject({ name: 'PlainWords', message: 'postgres://USER:PASSWORD@HOST' });
  expect(reduceError(new Error(words.message)).message).not.toContain('PASSWORD');
});

test.each<[unknown, boolean]>([
  [new Error('x'), true],
  [{ stack: '', message: '' }, true],
  [{ stack: '' }, false],
  [{ message: '' }, false],
  [null, false],
  ['stack message', false],
])('%j is like an error: %p', (value, isLike) => {
  expect(isErrorLike(value)).toBe(isLike);
});

/** What a text becomes. `SECRET` stands for a value that no pattern of its own would find. */
test.each<[text: string, clean: string]>([
  ['{"password":"SECRET","b":"c"}', `{"password":"${MASK}","b":"c"}`],
  ["{password: 'SECRET' , b: 1}", `{password: ${MASK} , b: 1}`],
  ['code_verifier : `SECRET` b', `code_verifier : ${MASK} b`],
  ['token=["SECRET"] b', `token=${MASK}"${MASK}"] b`],
  ['{\\"token\\":\\"SECRET \\\\\\" SECRET\\",\\"b\\":1}', `{\\"token\\":\\"${MASK}\\",\\"b\\":1}`],
  ['{"token":"SECRET \\" SECRET","b":1}', `{"token":"${MASK}","b":1}`],
  ['%22token%22%3A%22SECRET SECRET%22%2C', `%22token%22%3A%22${MASK}%22%2C`],
  ['%2522token%2522%253A%2522SECRET SECRET%2522%252C', `%2522token%2522%253A%2522${MASK}%2522%252C`],
  ['{"token":"SECRET SECRET', `{"token":"${MASK}`],
  ['a token=SECRET&b=c', `a token=${MASK}&b=c`],
  ['token[0]=SECRET b', `token[0]=${MASK} b`],
  ['token%5B0%5D=SECRET b', `token%5B0%5D=${MASK} b`],
  ['code : Basic SECRET b', `code : ${MASK} b`],
  ['secret%3DSECRET b', `secret%3D${MASK} b`],
  ['secret%3aSECRET b', `secret%3a${MASK} b`],
  ['<state=SECRET> b', `<state=${MASK}> b`],
  ['_csrf=SECRET _form=SECRET', `_csrf=${MASK} _form=${MASK}`],
  ['idtoken=SECRET id_token=SECRET', `idtoken=${MASK} id_token=${MASK}`],
  ['Set-Cookie: a=SECRET; b=SECRET\nnext', `Set-Cookie: ${MASK}\nnext`],
  ['cookie :  a=SECRET\rnext', `cookie :  ${MASK}\rnext`],
  ['Bearer SECRET1 b', `Bearer ${MASK} b`],
  ['basic%20SECRET1 b', `basic ${MASK} b`],
  ['OAuth++SECRET1 b', `OAuth ${MASK} b`],
  ['Bearer short b', 'Bearer short b'],
  ['postgres://u:SECRET@host/db', `postgres://${MASK}@host/db`],
  ['postgres:\\/\\/u:SECRET@host', `postgres:\\/\\/${MASK}@host`],
  ['http://host/a@b', 'http://host/a@b'],
  [`x 1\\/${'a1'.repeat(10)} y`, `x ${MASK} y`],
  [`x 1%252f${'a1'.repeat(10)} y`, `x ${MASK} y`],
  [`x 1/${'a1'.repeat(9)}a y`, `x 1/${'a1'.repeat(9)}a y`],
  [`x ${'a-'.repeat(20)} y`, `x ${MASK} y`],
  [`x ${'a-'.repeat(19)}a y`, `x ${'a-'.repeat(19)}a y`],
  [`x ${'a%2d'.repeat(20)} y`, `x ${MASK} y`],
  [`x ${'aB3d'.repeat(8)} y`, `x ${MASK} y`],
  [`x ${'aB3d'.repeat(7)}aB3 y`, `x ${'aB3d'.repeat(7)}aB3 y`],
  [
    'Unexpected token S in JSON, "SECRET" is not valid JSON',
    `Unexpected token S in JSON, ${MASK} is not valid JSON`,
  ],
  ['bad: ..."SEC\nRET"... is not valid JSON', `bad: ${MASK} is not valid JSON`],
  ['bad: "SEC"RET" is not valid JSON', `bad: ${MASK} is not valid JSON`],
  ['a "quoted" text is valid', 'a "quoted" text is valid'],
  [OPAQUE, MASK],
])('%j becomes %j', (text, clean) => {
  expect(redactText(text)).toBe(clean);
});
