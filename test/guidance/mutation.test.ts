import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/shared/project-root.ts';
import { readDocument, rowsBelow } from '../support/guidance.ts';

/** docs/mutation.md: the rules that are mutated, their tests, and the survivors that are explained. */

interface Rule {
  rule: string;
  files: string[];
  tests: string[];
}

interface Survivor {
  file: string;
  in: string;
  becomes: string[];
  why: string;
}

const readList = <One>(name: string) =>
  JSON.parse(readFileSync(join(projectRoot, 'scripts/mutation', name), 'utf8')) as One[];

const page = readDocument('docs/mutation.md');
const rules = readList<Rule>('rules.json');
const survivors = readList<Survivor>('survivors.json');
const files = rules.flatMap((rule) => rule.files);

/** What waits for nothing in these rooms is a rule, or has a reason on the page why it is none. */
const ROOMS = ['src/domain/translation', 'src/domain/grants', 'src/domain/old-calls', 'src/upstream'];

const WAITS = /\b(?:async|await|Promise|setTimeout)\b/;

/** Not so in a file that has only types. */
const HAS_CODE = /^(?:export )?(?:const|function|class|let) /m;

function rulesIn(room: string): string[] {
  const paths = readdirSync(join(projectRoot, room), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(room, path));
  return paths.filter((path) => {
    const text = readDocument(path);
    return HAS_CODE.test(text) && !WAITS.test(text);
  });
}

const leftOut = rowsBelow(page, '| left out | why |').map(([cell = '', why = '']) => ({
  paths: [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  why,
}));

test('each file of the rooms of rules that waits for nothing has a rule, or a reason why it has none', () => {
  const named = [...files, ...leftOut.flatMap(({ paths }) => paths)];
  expect(ROOMS.flatMap(rulesIn).filter((path) => !named.includes(path))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
  expect(named.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
  expect(leftOut.filter(({ paths, why }) => paths.length === 0 || why === '')).toEqual([]);
});

test('each rule has files, and tests of the fast ring', () => {
  for (const { files: own, tests } of rules) {
    expect([own.length, tests.length]).not.toContain(0);
    expect([...own, ...tests].filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
    expect(tests.filter((path) => !/^[^.]+\.test\.ts$/.test(path))).toEqual([]);
  }
});

test('each file has its score on the page with the day, or the word that the score is not known', () => {
  const rows = rowsBelow(page, '| file | mutants | noticed | score | measured |').filter(
    ({ length }) => length > 0,
  );
  const told = rows.slice(0, -1);
  expect(told.map(([cell]) => cell)).toEqual(files.map((file) => `\`${file}\``));
  const day = /^\d+ \d+ [\d.]+ % \d{4}-\d{2}-\d{2}$/;
  const scores = told.map(([, ...cells]) => cells.join(' ').trim());
  expect(scores.filter((score) => score !== 'not yet' && !day.test(score))).toEqual([]);
  const sum = (cell: number) => told.reduce((total, row) => total + Number(row[cell]), 0);
  expect(rows.at(-1)?.slice(0, 3)).toEqual(['all', String(sum(1)), String(sum(2))]);
});

test('each survivor stands in a function that is there, and has its reason on the page', () => {
  for (const { file, in: holder, becomes, why } of survivors) {
    expect(files).toContain(file);
    expect(readFileSync(join(projectRoot, file), 'utf8')).toMatch(new RegExp(`\\b${holder}\\b`));
    for (const text of becomes) expect(page).toContain(text.replaceAll('|', '\\|'));
    expect(page).toContain(why);
  }
});
