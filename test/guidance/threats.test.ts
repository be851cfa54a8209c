import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../../src/shared/project-root.ts';
import { readDocument, rowsBelow } from '../support/guidance.ts';

/** docs/threats.md: every attack has a row, every row says what happens and which test shows it, no cell is empty. */

const threats = readDocument('docs/threats.md');
const ROW_HEAD = '| row | tried | what happens | shown by (below `test/`) |';
const SECTION_HEAD = '| section | of the RFC | rows | embedded new API |';

interface Threat {
  id: string;
  anchor: string;
  cells: string[];
  tests: string[];
}

/** Every line of every table of rows, whatever it lacks. */
const lines = threats
  .split(`\n${ROW_HEAD}\n`)
  .slice(1)
  .flatMap((table) => rowsBelow(`\n${ROW_HEAD}\n${table}`, ROW_HEAD));

const rows = lines.map((cells): Threat => {
  const [, anchor = '', id = ''] = /^<a id="(\w+)"><\/a>(\w+)$/.exec(cells[0] ?? '') ?? [];
  return { id, anchor, cells, tests: cells[3]?.split(' <br> ') ?? [] };
});

/** The rows that there have to be: letter, first and last number. */
const RANGES: Array<[letter: string, first: number, last: number]> = [
  ['A', 1, 22],
  ['T', 1, 14],
  ['R', 1, 10],
  ['U', 1, 34],
  ['B', 35, 52],
  ['C', 53, 75],
  ['D', 76, 89],
  ['E', 90, 107],
  ['F', 108, 118],
  ['E', 119, 130],
  ['F', 131, 146],
  ['G', 147, 158],
  ['F', 159, 164],
  ['C', 165, 166],
  ['F', 167, 185],
  ['F', 190, 210],
  ['K', 1, 14],
  ['S', 1, 18],
  ['W', 1, 11],
];

const range = (letter: string, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_none, index) => `${letter}${first + index}`);

test('every row is there once, under an anchor of its own', () => {
  const wanted = RANGES.flatMap((one) => range(...one));
  expect(rows.map(({ id }) => id).toSorted()).toEqual(wanted.toSorted());
  expect(rows.filter(({ id, anchor }) => anchor !== id.toLowerCase())).toEqual([]);
});

test('no cell is empty, and no row is without a test', () => {
  const incomplete = rows.filter(({ cells }) => cells.length !== 4 || cells.includes(''));
  expect(incomplete).toEqual([]);
  expect(rows.filter(({ tests }) => tests.some((one) => !one.startsWith('`'))).map(({ id }) => id)).toEqual(
    [],
  );
});

const { placeOf } = createRequire(__filename)('../support/jest/campaigns.cjs') as {
  placeOf: (file: string) => number;
};

/** What CI runs only where it has the time, or never. */
function mayBeLeftOut(shown: string): boolean {
  const [, file = ''] = /^`([^`]+)`/.exec(shown) ?? [];
  return file.endsWith('.long.test.ts') || placeOf(join(projectRoot, 'test', file)) >= 0;
}

test('no row stands on tests alone that a slow machine leaves out', () => {
  expect(rows.filter(({ tests }) => tests.every(mayBeLeftOut)).map(({ id }) => id)).toEqual([]);
});

const textOf = (path: string) => readFileSync(path, 'utf8').replaceAll(String.raw`\'`, "'");

/** A title that begins with the row, by itself or among others: `rows T10 and C54 a second use`. */
const beginsWith = (id: string) => new RegExp(`['"\`](?:rows? )?(?:[A-Z]\\d+(?:, | and ))*${id}\\b`);

/** Why what a row names does not show it. */
function faultOf(id: string, shown: string): string | undefined {
  const [, file = '', title] = /^`([^`]+)`(?: › (.+))?$/.exec(shown) ?? [];
  const path = join(projectRoot, 'test', file);
  if (!file.endsWith('.ts') || !existsSync(path)) return `${id}: ${shown} is no file`;
  const text = textOf(path);
  if (title !== undefined) return text.includes(title) ? undefined : `${id}: ${file} has no “${title}”`;
  return beginsWith(id).test(text) ? undefined : `${id}: ${file} has no title that begins with the row`;
}

test('every file that a row names is there, with its title or with one that begins with the row', () => {
  expect(rows.flatMap(({ id, tests }) => tests.flatMap((shown) => faultOf(id, shown) ?? []))).toEqual([]);
});

const PRACTICES = ['2.1', '2.1.1', '2.1.2', '2.2.1', '2.2.2', '2.3', '2.4', '2.5', '2.6'];
const SECTIONS = PRACTICES.concat(Array.from({ length: 17 }, (_none, index) => `4.${index + 1}`));

const sections = rowsBelow(threats, SECTION_HEAD);

test('every practice and every attack of RFC 9700 has its line, and no cell of it is empty', () => {
  expect(sections.map(([section]) => section)).toEqual(SECTIONS);
  expect(sections.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([]);
});

test('every row that a line of RFC 9700 names is there', () => {
  const ids = new Set(rows.map(({ id }) => id));
  const named = sections.flatMap(([, , list = '']) =>
    list.split(', ').flatMap((part) => {
      const [, letter, first, last] = /^([A-Z])(\d+)(?: to [A-Z](\d+))?$/.exec(part) ?? [];
      return letter === undefined ? [part] : range(letter, Number(first), Number(last ?? first));
    }),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((id) => !ids.has(id))).toEqual([]);
});

test('every row of the embedded new API that a line of RFC 9700 names is there', () => {
  const known = readDocument('test/modern/README.md')
    .split('\n')
    .flatMap((line) => /^\| ([^|]+) \|/.exec(line)?.[1] ?? []);
  // A comma stands between names of rows, and within one: `C 59, 61, 62`.
  const lacking = sections.flatMap(([section, , , list = '']) => {
    const names = list.split(/, (?=[A-Z\d][\w.]* ?[^\d,\s]|[A-Z] \d|\d+\.\d)/);
    return names.filter((name) => !known.includes(name)).map((name) => `${section}: ${name}`);
  });
  expect(lacking).toEqual([]);
});
