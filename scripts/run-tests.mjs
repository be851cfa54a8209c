// `npm test` and `npm run test:full [-- JEST OPTIONS]`: runs one ring of the tests. A file that fails is run once more,
// alone, after all others have ended. What passes then is printed as `FLAKY file` and counted apart: it does not fail the
// run. With TEST_CAMPAIGNS_WITHIN=SECONDS a campaign (test/support/jest/campaigns.cjs) that would begin later is printed as
// `LEFT OUT file` and does not fail the run. With TEST_SUMMARY=FILE the counts and these lines are written there as JSON:
// { passed, failed, flaky, notes }.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { freemem, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** More files than this do not fail by chance: the run ends without a second try. */
const RETRIED_AT_MOST = 10;
/** Of a file that fails as a whole the first few tests say enough. */
const REASONS_TOLD = 3;
const GIGABYTE = 2 ** 30;
/** In megabytes; jest's workers take it too. The tests make much that soon ends: collecting it less often saves 7 % of their time. */
const NEW_SPACE = '--max-semi-space-size=64';
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const [ring, ...options] = process.argv.slice(2);
const jest = join(
  dirname(createRequire(join(process.cwd(), 'package.json')).resolve('jest/package.json')),
  'bin/jest.js',
);
const reporter = fileURLToPath(new URL('tests/results-reporter.mjs', import.meta.url));
const folder = mkdtempSync(join(chooseTemporary(), 'tests-'));
// The PostgreSQL of the tests may run as another user.
chmodSync(folder, 0o1777);
const within = process.env.TEST_CAMPAIGNS_WITHIN;
const campaignsUntil = within ? String(Date.now() + Number(within) * 1000) : '';
const nameOf = (path) => relative(process.cwd(), path);
/** @type {string | undefined} */
let stoppedBy;

/**
 * Where the tests keep their databases: in memory if there is enough. The tests commit some hundred thousand times, and
 * wait for the disk each time; what a disk keeps is shown by the system calls of the bridge, on whatever file system.
 */
function chooseTemporary() {
  const memory = '/dev/shm';
  const given = process.env.TMPDIR;
  if (given || !existsSync(memory) || freemem() < 6 * GIGABYTE) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize < 4 * GIGABYTE ? tmpdir() : memory;
}

/** Runs jest with these arguments; a signal to this process ends jest too. */
function runJest(args, resultsFile) {
  return new Promise((done) => {
    const reporters = ['--reporters=default', `--reporters=${reporter}`];
    const child = spawn(process.execPath, [NEW_SPACE, jest, ...args, ...reporters], {
      env: {
        ...process.env,
        TEST_RING: ring,
        TEST_RESULTS_FILE: resultsFile,
        TEST_CAMPAIGNS_UNTIL: campaignsUntil,
        TMPDIR: folder,
      },
      stdio: 'inherit',
    });
    const stop = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    child.once('close', (code, signal) => {
      for (const each of STOP_SIGNALS) process.off(each, stop);
      done({ code, signal });
    });
  });
}

async function run(args, name) {
  const resultsFile = join(folder, name);
  const end = await runJest(args, resultsFile);
  const text = existsSync(resultsFile) ? readFileSync(resultsFile, 'utf8') : '';
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return {
    ...end,
    isComplete: lines.some(({ isComplete }) => isComplete),
    files: new Map(lines.filter(({ path }) => path).map((file) => [file.path, file])),
  };
}

/** The options without those that would write over the first run's report or choose among the files. */
function optionsOfRetry() {
  const withValue = ['--outputFile', '--shard'];
  return options.filter(
    (option, i) =>
      option !== '--json' &&
      !withValue.includes(options[i - 1]) &&
      !withValue.some((name) => option === name || option.startsWith(`${name}=`)),
  );
}

/**
 * Runs a file again with nothing beside it; the result of that run replaces the first one. A campaign for which no time is
 * left then shows nothing.
 */
async function retry(path, number) {
  console.log(`\nRunning ${nameOf(path)} once more, alone.`);
  const again = await run([...optionsOfRetry(), `--testMatch=${path}`], `retry-${number}`);
  const file = again.files.get(path);
  return again.isComplete && again.code === 0 && file?.ok && !file.isLeftOut ? file : undefined;
}

function reasonOfBreak({ code, signal, isComplete, files }) {
  const how = signal ? `by ${signal}` : `with code ${code}`;
  if (stoppedBy) return `the run was stopped by ${stoppedBy}`;
  if (!isComplete) return `jest ended ${how} before the run was complete`;
  const hasFailure = [...files.values()].some(({ ok }) => !ok);
  return code !== 0 && !hasFailure ? `jest ended ${how} though no file failed` : undefined;
}

async function retryFailed(files) {
  const failed = [...files.values()].filter(({ ok }) => !ok);
  if (failed.length > RETRIED_AT_MOST) {
    console.log(`\n${failed.length} files failed; more than ${RETRIED_AT_MOST} are not run again.`);
    return [];
  }
  const flaky = [];
  for (const [number, first] of failed.entries()) {
    const passed = stoppedBy ? undefined : await retry(first.path, number);
    if (!passed) continue;
    files.set(first.path, passed);
    flaky.push(first);
  }
  return flaky;
}

/** A line for the file, and below it why it failed, so that the end of a long log says all that one must know. */
function noteOf(mark, path, reasons) {
  const lines = reasons.slice(0, REASONS_TOLD).join('\n').split('\n');
  return [`${mark} ${nameOf(path)}`, ...lines.filter(Boolean).map((line) => `    ${line}`)];
}

function notesOn(all, flaky, problem) {
  const [failed, leftOut] = [all.filter(({ ok }) => !ok), all.filter((file) => file.isLeftOut)];
  return [
    ...(campaignsUntil ? leftOut.map(({ path }) => `LEFT OUT ${nameOf(path)}`) : []),
    ...flaky.flatMap(({ path, reasons }) => noteOf('FLAKY', path, reasons)),
    ...failed.flatMap(({ path, reasons }) => noteOf('FAILED', path, reasons)),
    ...(problem ? [`FAILED: ${problem}`] : []),
  ];
}

function report({ files, flaky, problem }) {
  const all = [...files.values()];
  const sum = (field) => all.reduce((total, file) => total + file[field], 0);
  const [passed, failed] = [sum('passed'), sum('failed') + (problem ? 1 : 0)];
  const notes = notesOn(all, flaky, problem);
  for (const line of notes) console.log(line);
  console.log(`${ring} ring: ${passed} passed, ${failed} failed, ${flaky.length} flaky files`);
  const summary = { passed, failed, flaky: flaky.map(({ path }) => nameOf(path)), notes };
  if (process.env.TEST_SUMMARY) writeFileSync(process.env.TEST_SUMMARY, JSON.stringify(summary));
  return failed === 0;
}

const first = await run(options, 'first');
const brokeOff = reasonOfBreak(first);
const flaky = brokeOff ? [] : await retryFailed(first.files);
const stopped = stoppedBy && `the run was stopped by ${stoppedBy}`;
const isGood = report({ files: first.files, flaky, problem: brokeOff ?? stopped });
rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
process.exitCode = isGood ? 0 : 1;
