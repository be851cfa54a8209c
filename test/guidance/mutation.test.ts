import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/shared/project-root.ts';
import { readDocument } from '../support/guidance.ts';

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

test('each rule has files, and tests of the fast ring', () => {
  for (const { files, tests } of rules) {
    expect([files.length, tests.length]).not.toContain(0);
    expect([...files, ...tests].filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
    expect(tests.filter((path) => !/^[^.]+\.test\.ts$/.test(path))).toEqual([]);
  }
});

test('each file has one rule, and its score on the page or the word that the score is not known', () => {
  const files = rules.flatMap((rule) => rule.files);
  expect(new Set(files).size).toBe(files.length);
  const told = [
    ...page.matchAll(/^\| `(src\/[^`]+)` \| (?:\d+ \| \d+ \| [\d.]+ %|\| \| not measured yet) \|$/gm),
  ].map(([, file]) => file);
  expect(told).toEqual(files);
});

test('each survivor stands in a function that is there, and has its reason on the page', () => {
  const files = new Set(rules.flatMap((rule) => rule.files));
  for (const { file, in: holder, becomes, why } of survivors) {
    expect(files).toContain(file);
    expect(readFileSync(join(projectRoot, file), 'utf8')).toMatch(new RegExp(`\\b${holder}\\b`));
    for (const text of becomes) expect(page).toContain(text.replaceAll('|', '\\|'));
    expect(page).toContain(why);
  }
});
