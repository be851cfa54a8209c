import { isOver, summaryOf } from '../../src/cli/commands/tokens/import/summary.ts';
import { isWeakToken } from '../../src/domain/import/reading/weak-tokens.ts';
import type { ImportResult } from '../../src/domain/import/reading/import-file.ts';
import { createRefusalCounts } from '../../src/domain/import/refusal-counts.ts';

/** What an import says at its end. */

const imported = (more: Partial<ImportResult> = {}): ImportResult => ({
  new: 1,
  known: 2,
  changed: 3,
  refused: 0,
  written: true,
  refusals: [],
  report: '/srv/report',
  unknownFields: [],
  hiddenFields: 0,
  unendedLine: null,
  weakTokens: { count: 0, lines: [] },
  isShownLater: false,
  ...more,
});

const WHOLE = { isDryRun: false, maxRefused: undefined };

const headOf = (...given: Parameters<typeof summaryOf>) => summaryOf(...given).slice(0, 2);

test.each([
  ['1/' + '0'.repeat(32), true],
  ['1/' + 'abc'.repeat(11), true],
  ['abcdef0123456789', false],
  ['a1b2c3d4a1b2c3d4', true],
  ['12345678901234567', true],
  ['1/a81f0c3e5d7b29460f1e2d3c4b5a6978', false],
])('%s is a weak token: %s', (token, isWeak) => {
  expect(isWeakToken(token)).toBe(isWeak);
});

const toldOfWeak = (count: number, lines: number[]) =>
  summaryOf(imported({ weakTokens: { count, lines } }), WHOLE).at(-1);

test('weak tokens are told by their lines', () => {
  expect(toldOfWeak(1, [7])).toBe(
    '1 token is short or easy to guess, which is no reason to refuse a row: line 7.',
  );
  expect(toldOfWeak(6, [1, 2, 3, 4, 5])).toBe(
    '6 tokens are short or easy to guess, which is no reason to refuse a row: lines 1, 2, 3, 4, 5, ….',
  );
});

test('refused rows are counted by field and reason, with the lowest lines in whatever order they come', () => {
  const counts = createRefusalCounts();
  const missing = { reason: 'is missing', field: 'name' };
  for (const line of [90, 8, 7, 6, 5, 4, 80]) counts.add({ line, ...missing });
  counts.add({ line: 3, reason: 'is missing', field: 'client_id' });
  counts.add({ line: 2, reason: 'not valid JSON' });
  counts.add({ line: 1, reason: 'not valid JSON' });
  expect(summaryOf(imported({ refused: 10, refusals: counts.list() }), WHOLE)).toEqual([
    '1 new, 2 known, 3 changed, 10 refused.',
    '    7 refused: name: is missing (lines 4, 5, 6, 7, 8, …)',
    '    2 refused: not valid JSON (lines 1, 2)',
    '    1 refused: client_id: is missing (line 3)',
    'Each refused line with its field and reason: /srv/report',
  ]);
});

test('the summary stays short, however many reasons there are', () => {
  const refusals = Array.from({ length: 25 }, (_, index) => {
    return { field: null, reason: `reason ${index}`, count: 2, lines: [1, 2] };
  });
  const lines = summaryOf(imported({ refused: 50, refusals }), WHOLE);
  expect(lines).toHaveLength(23);
  expect(lines.at(-2)).toBe('    10 refused for 5 other reasons');
});

test('ignored fields are named, and those whose names are not shown are counted', () => {
  expect(summaryOf(imported({ unknownFields: ['notes'], hiddenFields: 2 }), WHOLE)).toContain(
    'Unknown fields, ignored: notes, 2 fields whose names are not shown',
  );
  expect(summaryOf(imported({ hiddenFields: 1 }), WHOLE)).toContain(
    'Unknown fields, ignored: 1 field whose name is not shown',
  );
});

test('a last line without a line end is named', () => {
  expect(summaryOf(imported({ unendedLine: 7 }), WHOLE)).toContain(
    'The file ends without a line end: look whether its last line (7) is whole.',
  );
});

test('a limit says what it did: nothing was changed, or everything but the refused rows', () => {
  const many = imported({ refused: 5 });
  const limit = { isDryRun: false, maxRefused: 4 };
  expect(headOf({ ...many, written: false }, limit)[0]).toBe(
    'Nothing was changed: more rows than --max-refused 4 allows would be refused. The import would give: 1 new, 2 known, 3 changed, 5 refused.',
  );
  expect(headOf({ ...many, written: false }, { ...limit, isDryRun: true })[1]).toBe(
    'Too many rows would be refused: more rows than --max-refused 4 allows.',
  );
  expect(headOf(many, limit)[1]).toBe(
    'More rows were refused than in the trial before the import: more rows than --max-refused 4 allows. The other rows were imported.',
  );
  expect(isOver(many, 4)).toBe(true);
  expect(isOver(many, 5)).toBe(false);
  expect(isOver(many, undefined)).toBe(false);
});
