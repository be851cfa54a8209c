import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildProgram } from '../running-program.ts';

beforeAll(buildProgram, 120_000);

test('a worker that stands still at a stop is killed, and the log says so', async () => {
  const program = fileURLToPath(new URL('../../support/programs/still-worker.mjs', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { timeout: 30_000 });
  expect(stdout).toBe('SIGKILL ended the worker that stood still\n');
  expect(stderr.match(/a worker did not end in time, the first process kills it/g)).toHaveLength(1);
}, 90_000);
