import fc from 'fast-check';
import { parseForm, splitForm, splitFormBody } from '../../src/http/wire/parse-form.ts';
import { Parameters } from '../../src/http/wire/request-parameters.ts';

/**
 * The bridge reads forms and queries by itself, because that is cheap. The answer must be the standard's. Node's parser
 * gives that for ASCII alone: it garbles a letter like é beside a percent sign that escapes nothing.
 */

const pairsOf = (text: string) => {
  const { names, values } = parseForm(text);
  return names.map((name, index) => [name, values[index]]);
};

const standard = (text: string) => [...new URLSearchParams(text.replace(/[^\0-\x7f]/gu, encodeURIComponent))];

const PIECES =
  '& = + % %2 %25 %2B %26 %3d %zz %E9 %C3%A9 %c3 %00 %EF%BB%BF %F0%9F %%41 %4 \ufffd ? ; [ ] \0 é 😀 a F 0 \u0131 ٣';

const pieces = fc.constantFrom(...PIECES.split(' '), '\ufeff', '\n', ' ');

test('a form has the pairs that the standard gives it', () => {
  const forms = fc.array(fc.oneof(pieces, fc.string({ unit: 'grapheme' })), { maxLength: 40 });
  fc.assert(
    fc.property(forms, (parts) => {
      const text = Buffer.from(parts.join('')).toString();
      expect(pairsOf(text)).toEqual(standard(text));
    }),
    { numRuns: 3000 },
  );
});

test('a form that came as bytes has the pairs that the standard gives it, also where they are no text', () => {
  const bytes = fc.array(
    fc.oneof(
      pieces.map((piece) => Buffer.from(piece)),
      fc.uint8Array({ maxLength: 3 }).map((some) => Buffer.from(some)),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(bytes, (parts) => {
      const body = Buffer.concat(parts);
      const { names, values, read } = splitFormBody(body);
      // The standard divides and unescapes bytes, and then reads UTF-8: an escape says of each byte what it is.
      const escaped = body
        .toString('latin1')
        .replace(/[^\0-\x7f]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
      expect(names.map((name, index) => [read(name), read(values[index] ?? '')])).toEqual([
        ...new URLSearchParams(escaped),
      ]);
    }),
    { numRuns: 5000 },
  );
});

test('a name is found in every spelling, and no other name is taken for it', () => {
  const spelled = fc
    .tuple(
      fc.constantFrom('a', 'a[', 'a[]', 'ab', 'é', 'a b', '', '😀'),
      fc.array(fc.boolean(), { maxLength: 8 }),
    )
    .map(([name, escapes]) =>
      [...Buffer.from(name)].map((byte, at) => {
        const isPlain = byte < 0x80 && byte !== 0x20 && !escapes[at];
        return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
      }),
    )
    .map((letters) => letters.join(''));
  const pair = fc.tuple(fc.oneof(spelled, pieces), pieces).map(([name, value]) => `${name}=${value}`);
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 12 }), (pairs) => {
      const text = Buffer.from(pairs.join('&')).toString();
      const parameters = new Parameters(splitForm(text));
      const known = standard(text);
      const valuesOf = (name: string) => known.filter(([key]) => key === name).map(([, value]) => value);
      for (const name of ['a', 'ab', 'a b', 'é', '']) {
        expect(parameters.all(name)).toEqual(valuesOf(name));
        expect(parameters.has(name)).toBe(valuesOf(name).length > 0);
        const isRepeated = valuesOf(name).length > 1 || known.some(([key]) => key?.startsWith(`${name}[`));
        expect(parameters.repeated([name])).toEqual(isRepeated ? [name] : []);
      }
      expect(parameters.pairs()).toEqual(known);
    }),
    { numRuns: 500 },
  );
});

test('every byte stands for itself, and so does every escaped byte', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  for (const hex of bytes) {
    const raw = Buffer.from(`a=${String.fromCharCode(Number.parseInt(hex, 16))}b`, 'latin1').toString('utf8');
    for (const text of [raw, `%${hex}=%${hex.toUpperCase()}`, `a=%${hex[0]}`, `a%${hex}%41`])
      expect(pairsOf(text)).toEqual(standard(text));
  }
});

test('a percent sign that escapes nothing leaves the letters beside it as they are', () => {
  expect(pairsOf('text=100% más+é%ff')).toEqual([['text', '100% más é\ufffd']]);
});
