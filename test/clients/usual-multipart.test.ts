import fc from 'fast-check';
import { parseMultipart } from '../../src/http/wire/bodies/read-multipart.ts';
import { readUsualParts } from '../../src/http/wire/bodies/usual-parts.ts';

/** The quick reading of usual multipart bodies finds what the parser finds, or leaves the body to it. */

const TYPE = 'multipart/form-data; boundary=----x1';
const NEXT = '------x1';

const headersOf = (...lines: string[]) => lines.join('\r\n');
const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`;
const bodyOf = (parts: Array<[string, string]>) =>
  Buffer.from(`${parts.map(([head, value]) => `${NEXT}\r\n${head}\r\n\r\n${value}\r\n`).join('')}${NEXT}--`);

const agree = async (body: Buffer, type = TYPE): Promise<boolean> => {
  const usual = readUsualParts(body, type);
  if (usual) expect(usual).toEqual(await parseMultipart(body, type, 100));
  return usual !== undefined;
};

test.each<[string, string]>([
  ['curl, python, PHP and browsers', disposition('name="text"')],
  ['brackets in a name', disposition('name="media[photo]"')],
  ['an empty name', disposition('name=""')],
  ['.NET', headersOf('Content-Type: text/plain; charset=utf-8', disposition('name=text'))],
  [
    'Apache HttpClient',
    headersOf(
      disposition('name="a"'),
      'Content-Type: text/plain; charset=UTF-8',
      'Content-Transfer-Encoding: 8bit',
    ),
  ],
  ['a length', headersOf(disposition('name="a"'), 'Content-Length: 2')],
  ['a file', headersOf(disposition('name="f"; filename="C:/a b.png"'), 'Content-Type: image/png')],
  ['a file without a type', disposition('name="f"; filename="/"')],
])('%s: is read here, as the parser reads it', async (_what, head) => {
  expect(
    await agree(
      bodyOf([
        [head, 'é \u0000 x'],
        [disposition('name="z"'), ''],
      ]),
    ),
  ).toBe(true);
});

test.each<[string, string]>([
  ['an escape in a name', disposition('name="a\\"b"')],
  ['a name beyond ASCII', disposition('name="é"')],
  ['no name', 'Content-Disposition: form-data'],
  ['another disposition', 'Content-Disposition: attachment; name="a"'],
  ['no disposition', 'Content-Type: text/plain'],
  ['two dispositions', headersOf(disposition('name="a"'), disposition('name="b"'))],
  ['another character set', headersOf(disposition('name="a"'), 'Content-Type: text/plain; charset=utf-16le')],
  ['bytes without a file name', headersOf(disposition('name="a"'), 'Content-Type: application/octet-stream')],
  ['a file without a name', disposition('name="f"; filename=""')],
  ['a file name in another notation', disposition('name="a"; filename*=utf-8\'\'b')],
  ['a header that nobody knows', headersOf(disposition('name="a"'), 'X-A: b')],
])('%s: is left to the parser', async (_what, head) => {
  expect(readUsualParts(bodyOf([[head, 'x']]), TYPE)).toBeUndefined();
});

test('what the parser cuts, and what has no end, is left to it', () => {
  const whole = bodyOf([[disposition('name="a"'), 'x'.repeat(65_536)]]);
  expect(readUsualParts(whole, TYPE)?.pairs[0]?.[1]).toHaveLength(65_536);
  expect(readUsualParts(bodyOf([[disposition('name="a"'), 'x'.repeat(65_537)]]), TYPE)).toBeUndefined();
  for (let length = 0; length < 120; length += 1) {
    const short = bodyOf([[disposition('name="a"'), 'abc']]);
    if (length < short.length) expect(readUsualParts(short.subarray(0, length), TYPE)).toBeUndefined();
  }
});

test.each([
  ['a', '=', '/', ':', '?', '(', ')', ','].map((sign) => `a${sign}b`),
  ['===1==', "a'b+c_d.e-f", 'a b', 'a;b', '"'],
])('boundaries of any signs, bare and quoted', async (...boundaries) => {
  for (const boundary of boundaries)
    for (const given of [boundary, `"${boundary}"`])
      for (const more of ['', '; charset=utf-16', '; boundary=c']) {
        const body = Buffer.from(`--${boundary}\r\n${disposition('name="a"')}\r\n\r\nx\r\n--${boundary}--`);
        await agree(body, `multipart/form-data; boundary=${given}${more}`);
      }
  expect(
    await agree(
      Buffer.from(`--a-b\r\n${disposition('name="a"')}\r\n\r\nx\r\n--a-b--`),
      'multipart/form-data; boundary=a-b',
    ),
  ).toBe(true);
});

const piece = fc.oneof(
  fc.constantFrom(
    '\r\n',
    '\n',
    '\r',
    '--',
    NEXT,
    `\r\n${NEXT}`,
    `\r\n${NEXT}--`,
    `${NEXT}\r\n`,
    ': ',
    '; ',
    '"',
    '\\',
  ),
  fc.constantFrom(
    disposition('name="a"'),
    disposition('name=b'),
    'name="c"',
    '; filename="d"',
    'filename*=e',
    '%22',
  ),
  fc.constantFrom(
    'Content-Type: text/plain',
    'content-type:text/plain; charset=UTF-8',
    '; charset=latin1',
    'é',
    '\0',
  ),
  fc.string({ maxLength: 4 }),
);
const head = fc.constantFrom(
  disposition('name="a"'),
  disposition('name="b"; filename="c"'),
  disposition('name="b"; filename="../"'),
  headersOf('Content-Type: text/plain', disposition('name=d')),
);
const value = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));

test('of bodies of any pieces, what is read here is what the parser reads', async () => {
  let read = 0;
  const part = fc.tuple(fc.oneof({ weight: 4, arbitrary: head }, { weight: 1, arbitrary: value }), value);
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 4 }), fc.nat(), piece, async (parts, at, more) => {
      const body = bodyOf(parts).toString();
      const place = at % (2 * body.length);
      // In half of the cases something stands where nobody expects it.
      const changed = place < body.length ? body.slice(0, place) + more + body.slice(place) : body;
      if (await agree(Buffer.from(changed))) read += 1;
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(500);
});
