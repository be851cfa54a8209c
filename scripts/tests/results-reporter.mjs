// A jest reporter for scripts/run-tests.mjs: one line of JSON for each file as it ends, and one at the end of the run, so
// that a run which breaks off still tells what it has done.
import { appendFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** So much of a failure is kept: what was expected and what came stand in its first lines. */
const LINES_KEPT = 12;
const CHARACTERS_KEPT = 1000;
const IN_STACK = /^ +at /;

const hasFailed = ({ numFailingTests, testExecError, failureMessage }) =>
  numFailingTests > 0 || Boolean(testExecError) || Boolean(failureMessage);

/** The beginning of a message without its stack, and the first place of the stack that is a test's. */
function firstLinesOf(message) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim());
  const text = lines.filter((line) => !IN_STACK.test(line)).slice(0, LINES_KEPT);
  const place = lines.find((line) => IN_STACK.test(line) && /\.test\.[cm]?[jt]s:/.test(line));
  return [text.join('\n').slice(0, CHARACTERS_KEPT), place?.trim().replace(process.cwd(), '.')]
    .filter(Boolean)
    .join('\n');
}

/** The title and the beginning of the message of each test that failed; of a file that could not be run, of the file. */
function reasonsOf({ testResults, failureMessage }) {
  const failing = testResults.filter(({ status }) => status === 'failed');
  if (failing.length === 0) return [firstLinesOf(failureMessage ?? '')];
  return failing.map(
    ({ fullName, failureMessages }) => `${fullName}\n${firstLinesOf(failureMessages[0] ?? '')}`,
  );
}

export default class ResultsReporter {
  #file = process.env.TEST_RESULTS_FILE;

  onTestResult({ path }, result) {
    const ok = !hasFailed(result);
    // A file that could not be run at all has no tests to count: it counts as one that failed.
    const failed = ok ? 0 : Math.max(1, result.numFailingTests);
    // Nothing of it ran: a campaign for which there was no time.
    const isLeftOut = result.numPendingTests > 0 && result.numPassingTests + failed === 0;
    this.#tell({
      path,
      ok,
      passed: result.numPassingTests,
      failed,
      isLeftOut,
      reasons: ok ? [] : reasonsOf(result),
    });
  }

  onRunComplete() {
    this.#tell({ isComplete: true });
  }

  #tell(line) {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}
