// `npm run mutation -- [FILE...] [--changed] [--write]`: changes the pure rules in a thousand small ways, and looks
// whether the quick tests of each rule notice. Ends with 1 where a file has a score below 85 %, or a mutant that nobody
// noticed is not explained in `survivors.json`. `--changed` takes the files without a score, and those with a commit after
// the day of their score. `--write` puts the result into docs/mutation.md.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { judge, scoreOf } from './mutants.mjs';
import { readPage, scoresOn, writePage } from './page.mjs';

const LEAST_SCORE = 85;

const readJson = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const rules = readJson('rules.json');
const survivors = readJson('survivors.json');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});

const known = scoresOn(readPage());
const lastChange = (file) =>
  execFileSync('git', ['log', '-1', '--format=%cs', '--', file], { encoding: 'utf8' }).trim();
const isChanged = (file) => !known.has(file) || lastChange(file) > known.get(file).day;
const isNamed = (file) => positionals.length === 0 || positionals.some((part) => file.includes(part));
const isWanted = (file) => isNamed(file) && (!values.changed || isChanged(file));
const wanted = rules
  .map((rule) => ({ ...rule, files: rule.files.filter(isWanted) }))
  .filter(({ files }) => files.length > 0);
if (wanted.length === 0) {
  console.error('No file of scripts/mutation/rules.json is asked for.');
  process.exit(2);
}

/** What no test needs. A second configuration of biome in a sandbox that an ended run left would be refused by `npm run check`. */
const NOT_COPIED = ['/dist*', '/var', '/coverage', '/docs', '/scripts/bench', '/biome.json'];

function strykerFor({ files, tests }) {
  // Read by jest.config.mjs, in the processes that Stryker starts.
  process.env.MUTATION_TESTS = JSON.stringify(tests);
  return new Stryker({
    mutate: files,
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    jest: { configFile: 'scripts/mutation/jest.config.mjs', enableFindRelatedTests: false },
    coverageAnalysis: 'perTest',
    reporters: process.stdout.isTTY ? ['progress'] : [],
    logLevel: 'error',
    concurrency: Math.min(availableParallelism(), 4),
    ignorePatterns: NOT_COPIED,
    // Stryker cannot read the configuration of TypeScript 7, and the tests need no types.
    tsconfigFile: 'none.json',
    disableTypeChecks: false,
    // What ends by this time alone counts as noticed. A busy machine must not make it so; endless loops are counted.
    timeoutMS: 30_000,
    timeoutFactor: 4,
  });
}

function tell({ file, total, noticed, unexplained, gone, score }) {
  console.log(
    `${score.toFixed(1).padStart(5)} %  ${String(noticed).padStart(4)} of ${String(total).padStart(4)}  ${file}`,
  );
  for (const mutant of unexplained)
    console.log(`         ${mutant.status} in ${mutant.in}: ${mutant.becomes}`);
  for (const mutant of gone)
    console.log(`         noticed by now, strike it out in ${mutant.in}: ${mutant.becomes}`);
}

const began = performance.now();
const results = [];
for (const rule of wanted) {
  const start = performance.now();
  console.log(`${rule.rule}:`);
  const mutants = await strykerFor(rule).runMutationTest();
  for (const file of rule.files) {
    const own = mutants.filter(({ fileName }) => fileName.endsWith(file));
    results.push(judge(file, own, survivors));
    tell(results.at(-1));
  }
  console.log(`         ${Math.round((performance.now() - start) / 1000)} s`);
}

const sum = (field) => results.reduce((total, result) => total + result[field], 0);
const [noticed, total] = [sum('noticed'), sum('total')];
const minutes = (performance.now() - began) / 60_000;
console.log(
  `${noticed} of ${total} noticed: ${scoreOf(noticed, total).toFixed(1)} %, in ${minutes.toFixed(1)} minutes`,
);
if (values.write) writePage({ files: rules.flatMap((rule) => rule.files), results, survivors });
const low = results.filter(({ score }) => score < LEAST_SCORE);
for (const { file } of low) console.log(`below ${LEAST_SCORE} %: ${file}`);
process.exitCode = low.length > 0 || results.some(({ unexplained }) => unexplained.length > 0) ? 1 : 0;
