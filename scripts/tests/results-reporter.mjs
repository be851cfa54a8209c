// A jest reporter for scripts/run-tests.mjs: one line of JSON for each file as it ends, and one at the end of the run, so
// that a run which breaks off still tells what it has done.
import { appendFileSync } from 'node:fs';

const hasFailed = ({ numFailingTests, testExecError, failureMessage }) =>
  numFailingTests > 0 || Boolean(testExecError) || Boolean(failureMessage);

export default class ResultsReporter {
  #file = process.env.TEST_RESULTS_FILE;

  onTestResult({ path }, result) {
    const ok = !hasFailed(result);
    // A file that could not be run at all has no tests to count: it counts as one that failed.
    const failed = ok ? 0 : Math.max(1, result.numFailingTests);
    // Nothing of it ran: a campaign for which there was no time.
    const isLeftOut = result.numPendingTests > 0 && result.numPassingTests + failed === 0;
    this.#tell({ path, ok, passed: result.numPassingTests, failed, isLeftOut });
  }

  onRunComplete() {
    this.#tell({ isComplete: true });
  }

  #tell(line) {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}
