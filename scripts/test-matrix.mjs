// `npm run test:matrix [-- JEST OPTIONS]`: the tests of the flows, endpoints and old clients against the built bridge in
// processes of its own, on either database, with one worker and with two. One line for each; the whole output of those
// that failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const FOLDERS = ['test/flows', 'test/endpoints', 'test/clients'];
/** What the rings run on SQLite alone, and the folders do not hold. */
const SQLITE_ALONE = [
  ...['history-command', 'canaries', 'keys-commands'].map((name) => `test/processes/${name}.full.test.ts`),
  ...[
    'exchange',
    'key-rotation',
    'many-callers',
    'paused-keys',
    'paused-process',
    'revocation',
    'shared-limits',
  ].map((name) => `test/races/${name}.full.test.ts`),
  'test/domain/history/tampering.test.ts',
];
const options = process.argv.slice(2);

const combinations = ['sqlite', 'postgres'].flatMap((database) =>
  ['1', '2'].map((workers) => ({ database, workers })),
);

function run({ database, workers }, report) {
  const mode = { TEST_BRIDGE: 'spawned', TEST_DATABASE: database, TEST_WORKERS: workers, TEST_RING: 'all' };
  const alone = database === 'postgres' && workers === '1' ? SQLITE_ALONE : [];
  const args = [jest, '--json', `--outputFile=${report}`, ...options, ...FOLDERS, ...alone];
  return new Promise((done) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...mode },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const output = [];
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.once('close', (code) => done({ code, output: Buffer.concat(output).toString() }));
  });
}

function countsIn(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
  }
}

const folder = mkdtempSync(join(tmpdir(), 'matrix-'));
let failed = 0;
for (const combination of combinations) {
  const { database, workers } = combination;
  const report = join(folder, `${database}-${workers}.json`);
  const started = performance.now();
  const { code, output } = await run(combination, report);
  const { numPassedTests, numFailedTests, numPendingTests } = countsIn(report);
  const seconds = Math.round((performance.now() - started) / 1000);
  const counts = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`;
  console.log(
    `${code === 0 ? 'ok    ' : 'FAILED'} ${database}, workers ${workers}: ${counts} (${seconds} s)`,
  );
  if (code !== 0) console.log(output);
  failed += code === 0 ? 0 : 1;
}
rmSync(folder, { recursive: true });
console.log(
  failed === 0 ? 'test:matrix: all passed' : `test:matrix: ${failed} of ${combinations.length} failed`,
);
process.exitCode = failed === 0 ? 0 : 1;
