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

describe.each<[string, (count: number) => string, string?]>([
  ['as most programs write it', (count) => `${parts(count)}--b--\r\n`],
  ['without a line end after it', (count) => `${parts(count)}--b--`],
  ['behind a line end', (count) => `\r\n${parts(count)}--b--\r\n`],
  ['behind other text', (count) => `text\r\n${parts(count)}--b--\r\n`],
  ['before other text', (count) => `${parts(count)}--b--\r\n${parts(50)}`],
  ['with a quoted boundary', (count) => `${parts(count)}--b--\r\n`, 'multipart/form-data; boundary="b"'],
  [
    'with an unusual type',
    (count) => `${parts(count)}--b--\r\n`,
    'multipart/form-data; charset="utf-8"; boundary=b',
  ],
  ['with files', (count) => `${parts(count - 50)}${parts(50, file)}--b--\r\n`],
  ['that is large', (count) => `${parts(count).replace('x\r\n', `${'x'.repeat(300_000)}\r\n`)}--b--\r\n`],
])('a body %s', (how, bodyOf, type) => {
  test('is read up to its limit, and one part more is too many', async () => {
    const isUsual = !type?.includes('charset') && !how.includes('behind');
    const most = isUsual ? 100 : 50;
    expect(await countIn(bodyOf(most), type)).toBe(most);
    // Usual bodies are counted before they are parsed; the parser itself counts fields.
    const isCounted = isUsual && !how.includes('large');
    expect(await countIn(bodyOf(most + 1), type)).toBe(isCounted ? 'too many parts' : 'too many fields');
  });
});

test('lines of a value that look like the boundary of another body are no parts', async () => {
  const lines = '\r\n--c'.repeat(100);
  for (const type of [TYPE, 'multipart/form-data; charset="utf-8"; boundary=b'])
    expect(await countIn(part(1).replace('x', `x${lines}`).concat('--b--\r\n'), type)).toBe(1);
});
