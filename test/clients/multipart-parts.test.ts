import { readMultipart } from '../../src/http/wire/bodies/read-multipart.ts';

/** How many parts of a multipart body are read, however the body is written (docs/old-api.md, limits). */

const TYPE = 'multipart/form-data; boundary=b';

const part = (n: number) => `--b\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\nx\r\n`;
const file = (n: number) => part(n).replace('\r\n\r\n', '; filename="a"\r\n\r\n');
const parts = (count: number, of = part) => Array.from({ length: count }, (_, n) => of(n)).join('');

/** How many fields and files are read; the reason where none are. */
const countIn = (body: string, type = TYPE): Promise<number | string> =>
  readMultipart(Buffer.from(body), type).then(
    ({ pairs, files }) => pairs.length + files.length,
    (error: Error) => error.message,
  );

const [USUAL, UNUSUAL] = [100, 50];
/** Bodies of the usual form, and those whose delimiter is known, are counted before they are parsed; the parser counts fields. */
const [COUNTED, PARSED] = ['too many parts', 'too many fields'];

interface Writing {
  most: number;
  /** The reason that is told of one part more. */
  refusal: string;
  bodyOf: (count: number) => string;
  type?: string;
}

const large = (count: number) => parts(count).replace('x\r\n', `${'x'.repeat(300_000)}\r\n`);

const WRITINGS: Array<[string, Writing]> = [
  [
    'as most programs write it',
    { most: USUAL, refusal: COUNTED, bodyOf: (count) => `${parts(count)}--b--\r\n` },
  ],
  [
    'without a line end behind it',
    { most: USUAL, refusal: COUNTED, bodyOf: (count) => `${parts(count)}--b--` },
  ],
  [
    'behind a line end',
    { most: UNUSUAL, refusal: PARSED, bodyOf: (count) => `\r\n${parts(count)}--b--\r\n` },
  ],
  [
    'behind other text',
    { most: UNUSUAL, refusal: PARSED, bodyOf: (count) => `text\r\n${parts(count)}--b--\r\n` },
  ],
  [
    'before other text',
    { most: USUAL, refusal: COUNTED, bodyOf: (count) => `${parts(count)}--b--\r\n${parts(50)}` },
  ],
  [
    'before much other text',
    { most: USUAL, refusal: COUNTED, bodyOf: (count) => `${parts(count)}--b--\r\n${'x'.repeat(300_000)}` },
  ],
  [
    'with a quoted boundary',
    {
      most: USUAL,
      refusal: COUNTED,
      bodyOf: (count) => `${parts(count)}--b--\r\n`,
      type: 'multipart/form-data; boundary="b"',
    },
  ],
  [
    'with an unusual type',
    {
      most: UNUSUAL,
      refusal: PARSED,
      bodyOf: (count) => `${parts(count)}--b--\r\n`,
      type: 'multipart/form-data; charset="utf-8"; boundary=b',
    },
  ],
  [
    'with files',
    { most: USUAL, refusal: COUNTED, bodyOf: (count) => `${parts(count - 50)}${parts(50, file)}--b--\r\n` },
  ],
  ['that is large', { most: USUAL, refusal: PARSED, bodyOf: (count) => `${large(count)}--b--\r\n` }],
  [
    'that is large, behind other text',
    { most: USUAL, refusal: PARSED, bodyOf: (count) => `text\r\n${large(count)}--b--\r\n` },
  ],
];

test.each(WRITINGS)(
  'a body %s is read up to its limit, and one part more is too many',
  async (_how, writing) => {
    const { most, refusal, bodyOf, type } = writing;
    expect(await countIn(bodyOf(most), type)).toBe(most);
    expect(await countIn(bodyOf(most + 1), type)).toBe(refusal);
  },
);

test('an unusual body with more parts than any body may have is not parsed', async () => {
  expect(await countIn(`text\r\n${parts(101)}--b--\r\n`)).toBe(COUNTED);
});

test('lines of a value that look like the boundary of another body are no parts', async () => {
  const lines = '\r\n--c'.repeat(100);
  for (const type of [TYPE, 'multipart/form-data; charset="utf-8"; boundary=b'])
    expect(await countIn(part(1).replace('x', `x${lines}`).concat('--b--\r\n'), type)).toBe(1);
});
