import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { until } from '../support/servers/held-answer.ts';
import { createProject, type Project, runNode } from './ready-project.ts';

const runner = resolve(import.meta.dirname, '../../scripts/run-tests.mjs');

const PASSES = "test('holds', () => undefined);\n";
const FAILS = "test('holds', () => undefined);\ntest('fails', () => expect(1).toBe(2));\n";
// Fails as long as nobody has run it before.
const FAILS_ONCE = `
const { existsSync, writeFileSync } = require('node:fs');
test('passes the second time', () => {
  const isFirst = !existsSync('has-run');
  writeFileSync('has-run', '');
  expect(isFirst).toBe(false);
});
`;

const note = (name: string, event: string) =>
  `require('node:fs').appendFileSync('order', '${name} ${event} ' + (process.env.JEST_WORKER_ID ?? '') + '\\n');\n`;

const noted = (name: string, text: string) =>
  `beforeAll(() => { ${note(name, 'begins')} });\nafterAll(() => { ${note(name, 'ends')} });\n${text}`;

let project: Project;
beforeEach(() => {
  project = createProject([]);
  symlinkSync(resolve(import.meta.dirname, '../../node_modules'), join(project.folder, 'node_modules'));
  project.write('package.json', '{}');
  project.write(
    'jest.config.mjs',
    "export default { testMatch: ['**/*.test.cjs'], transform: {}, maxWorkers: 2 };",
  );
});
afterEach(() => project.remove());

let more: Record<string, string> = {};
beforeEach(() => (more = {}));

/** What the runner says of the files, without what jest prints, and how it ends. */
async function run(...options: string[]) {
  const summary = join(project.folder, 'summary.json');
  const variables = { TEST_SUMMARY: summary, CI: 'true', ...more };
  const { code, output } = await runNode(project.folder, [runner, 'fast', ...options], variables);
  const lines = output
    .split('\n')
    .filter((line) => /^(FAILED|FLAKY|LEFT OUT|Running|\d+ files|\w+ ring)/.test(line));
  return { code, lines, output, summary: JSON.parse(project.read('summary.json')) as unknown };
}

/** What a note says of a failed `toBe`, below the line with the file. */
const reasonLines = (title: string, values: string[], place: string) =>
  [
    title,
    'Error: expect(received).toBe(expected) // Object.is equality',
    ...values,
    expect.stringContaining(place),
  ].map((line) => (typeof line === 'string' ? `    ${line}` : line));

test('files that pass are run once and counted', async () => {
  project.write('a.test.cjs', PASSES);
  project.write('b.test.cjs', PASSES);
  expect(await run()).toMatchObject({
    code: 0,
    lines: ['fast ring: 2 passed, 0 failed, 0 flaky files'],
    summary: { passed: 2, failed: 0, flaky: [], notes: [] },
  });
});

test('a file that passes the second time is told as flaky, and one that fails twice fails', async () => {
  project.write('a.test.cjs', FAILS);
  project.write('b.test.cjs', FAILS_ONCE);
  project.write('c.test.cjs', PASSES);
  const { code, lines, summary } = await run();
  expect(lines.toSorted()).toEqual(
    [
      'Running a.test.cjs once more, alone.',
      'Running b.test.cjs once more, alone.',
      'FAILED a.test.cjs',
      'FLAKY b.test.cjs',
      'fast ring: 3 passed, 1 failed, 1 flaky files',
    ].toSorted(),
  );
  expect(summary).toEqual({
    passed: 3,
    failed: 1,
    flaky: ['b.test.cjs'],
    notes: [
      'FLAKY b.test.cjs',
      ...reasonLines('passes the second time', ['Expected: false', 'Received: true'], './b.test.cjs:6:19'),
      'FAILED a.test.cjs',
      ...reasonLines('fails', ['Expected: 2', 'Received: 1'], './a.test.cjs:2:31'),
    ],
  });
  expect(code).toBe(1);
});

test('a run in which nothing fails twice is good, and names what is flaky at its end', async () => {
  project.write('folder/b.test.cjs', FAILS_ONCE);
  const { code, lines } = await run();
  expect(lines).toEqual([
    'Running folder/b.test.cjs once more, alone.',
    'FLAKY folder/b.test.cjs',
    'fast ring: 1 passed, 0 failed, 1 flaky files',
  ]);
  expect(code).toBe(0);
});

test('a file is run again when all others have ended, and with nothing beside it', async () => {
  for (const name of ['one', 'two']) project.write(`${name}.test.cjs`, noted(name, FAILS));
  // Two workers at a time: the third begins when one has failed, and lasts until nobody else is left.
  project.write(
    'slow.test.cjs',
    noted('slow', "test('waits', () => new Promise((done) => setTimeout(done, 1500)));\n"),
  );
  await run();
  const events = project
    .read('order')
    .trim()
    .split('\n')
    .map((line) => line.replace(/ \d*$/, ''));
  const again = events.slice(events.indexOf('slow ends') + 1).slice(-4);
  expect(events).toHaveLength(10);
  expect(events.indexOf('slow ends')).toBeLessThan(6);
  expect([again.slice(0, 2).join(), again.slice(2).join()].toSorted()).toEqual([
    'one begins,one ends',
    'two begins,two ends',
  ]);
});

test('a campaign that would begin too late is left out and named, with all that it stands on; others run', async () => {
  const environment = resolve(import.meta.dirname, '../support/jest/environment.cjs');
  const campaign = resolve(import.meta.dirname, '../fuzz/short-run.full.test.ts');
  project.write(
    'jest.config.mjs',
    `export default { testMatch: ['**/*.test.cjs'], transform: {}, testEnvironment: './late.cjs' };`,
  );
  // As if the file below were the campaign of that name.
  project.write(
    'late.cjs',
    `const { existsSync, readFileSync } = require('node:fs');
const Environment = require('${environment}');
const hasBegun = existsSync('order') && readFileSync('order', 'utf8').includes('campaign');
if (process.env.LATE_ONCE_BEGUN && hasBegun) process.env.TEST_CAMPAIGNS_UNTIL = '1';
module.exports = class extends Environment {
  constructor(config, context) {
    const isCampaign = context.testPath.endsWith('campaign.test.cjs');
    super(config, isCampaign ? { ...context, testPath: '${campaign}' } : context);
  }
};`,
  );
  project.write('campaign.test.cjs', noted('campaign', `describe('rounds', () => { ${FAILS} });`));
  project.write('other.test.cjs', noted('other', PASSES));
  more = { TEST_CAMPAIGNS_WITHIN: '0' };
  expect(await run()).toMatchObject({
    code: 0,
    lines: ['LEFT OUT campaign.test.cjs', 'fast ring: 1 passed, 0 failed, 0 flaky files'],
    summary: { passed: 1, failed: 0, notes: ['LEFT OUT campaign.test.cjs'] },
  });
  expect(project.read('order')).not.toContain('campaign');
  more = { TEST_CAMPAIGNS_WITHIN: '600' };
  expect((await run()).lines).toContain('FAILED campaign.test.cjs');
  // The second try finds no time left: it shows nothing, so the failure stands.
  project.write('order', '');
  more = { TEST_CAMPAIGNS_WITHIN: '600', LATE_ONCE_BEGUN: '1' };
  const late = await run();
  expect(late.output).toContain('Running campaign.test.cjs once more, alone.');
  expect(late.lines).toContain('FAILED campaign.test.cjs');
  expect(project.read('order').match(/campaign begins/g)).toHaveLength(1);
});

test('files of a worker share the modules of packages; their own modules and what they do to the process they do not', async () => {
  const support = resolve(import.meta.dirname, '../support/jest');
  const files = {
    testEnvironment: `${support}/environment.cjs`,
    runtime: `${support}/runtime.cjs`,
    testMatch: ['**/*.test.cjs'],
    transform: {},
    maxWorkers: 1,
  };
  project.write('jest.config.mjs', `export default ${JSON.stringify(files)};`);
  project.write('own.cjs', 'exports.seen = [];');
  for (const name of ['a', 'b'])
    project.write(
      `${name}.test.cjs`,
      `const own = require('./own.cjs');
const shared = require('express');
test('finds a clean process', () => {
  expect([process.env.LEFT_BEHIND, own.seen]).toEqual([undefined, []]);
  expect(new shared.Router()).toBeInstanceOf(Function);
  require('node:fs').appendFileSync('order', String(shared.used) + ' ');
  [process.env.LEFT_BEHIND, shared.used] = ['1', true];
  own.seen.push(1);
});
`,
    );
  expect((await run()).lines).toEqual(['fast ring: 2 passed, 0 failed, 0 flaky files']);
  expect(project.read('order')).toBe('undefined true ');
  more = { TEST_MODULES: 'own' };
  await run();
  expect(project.read('order')).toBe('undefined true undefined undefined ');
});

test('options reach jest, and the report of the first run stays', async () => {
  project.write('a.test.cjs', PASSES);
  project.write('b.test.cjs', FAILS_ONCE);
  const { code, lines } = await run('b.test', '--json', '--outputFile=report.json');
  expect(lines.at(-1)).toBe('fast ring: 1 passed, 0 failed, 1 flaky files');
  expect(JSON.parse(project.read('report.json'))).toMatchObject({ numTotalTests: 1, numFailedTests: 1 });
  expect(code).toBe(0);
});

test('a file that cannot be loaded counts as one that failed', async () => {
  project.write('a.test.cjs', PASSES);
  project.write('broken.test.cjs', "require('./is-not-there');\n");
  const { code, lines, summary } = await run();
  expect(lines).toContain('FAILED broken.test.cjs');
  expect(JSON.stringify(summary)).toContain("Cannot find module './is-not-there'");
  expect(lines.at(-1)).toBe('fast ring: 1 passed, 1 failed, 0 flaky files');
  expect(code).toBe(1);
});

test.each([
  ['process.exit(0)', 'jest ended with code 0 before the run was complete'],
  ["process.kill(process.pid, 'SIGKILL')", 'jest ended by SIGKILL before the run was complete'],
])('a run that breaks off fails, though no test did: %s', async (death, reason) => {
  project.write('a.test.cjs', `test('ends it all', () => { ${death}; });\n`);
  const { code, lines } = await run();
  expect(lines).toEqual([`FAILED: ${reason}`, 'fast ring: 0 passed, 1 failed, 0 flaky files']);
  expect(code).toBe(1);
});

test('a run that is stopped ends, fails, and still writes what it has counted', async () => {
  project.write(
    'a.test.cjs',
    "test('waits for ever', () => { require('node:fs').writeFileSync('begun', ''); return new Promise(() => undefined); }, 600_000);\n",
  );
  const env = { PATH: process.env['PATH'], TEST_SUMMARY: join(project.folder, 'summary.json') };
  const child = spawn(process.execPath, [runner, 'fast'], { cwd: project.folder, env, stdio: 'ignore' });
  const ended = once(child, 'close');
  await until(() => project.has('begun'), 60_000);
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(1);
  expect(JSON.parse(project.read('summary.json'))).toEqual({
    passed: 0,
    failed: 1,
    flaky: [],
    notes: ['FAILED: the run was stopped by SIGTERM'],
  });
});

test('a run without tests, and one with a set-up that fails, are no success', async () => {
  expect(await run()).toMatchObject({ code: 1, summary: { passed: 0, failed: 1 } });
  project.write('a.test.cjs', PASSES);
  project.write('setup.cjs', "module.exports = () => { throw new Error('no machine'); };");
  expect(await run('--globalSetup=./setup.cjs')).toMatchObject({
    code: 1,
    summary: { passed: 0, failed: 1 },
  });
});

test('where everything is broken nothing is run again', async () => {
  for (let n = 1; n <= 11; n += 1) project.write(`t${n}.test.cjs`, FAILS);
  const { code, lines } = await run();
  expect(lines[0]).toBe('11 files failed; more than 10 are not run again.');
  expect(lines.filter((line) => line.startsWith('Running'))).toEqual([]);
  expect(lines.at(-1)).toBe('fast ring: 11 passed, 11 failed, 0 flaky files');
  expect(code).toBe(1);
});
