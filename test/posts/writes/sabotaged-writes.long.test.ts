import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { buildProgram } from '../../processes/running-program.ts';

/** A proof must be able to fail: each of these builds is wrong in one way, and a proof of writes says so. */

const checkout = resolve(import.meta.dirname, '../../..');

beforeAll(() => buildProgram(), 120_000);

/** Runs the tests of a file whose names have a word, with a sabotaged build; what they said. */
function prove(file: string, word: string, sabotage: string): Promise<{ code: number; said: string }> {
  const args = ['node_modules/jest/bin/jest.js', '--maxWorkers=1', `test/posts/${file}`, '-t', word];
  const env = { ...process.env, TEST_RING: 'full', WRITE_SABOTAGE: sabotage };
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: checkout, env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, said: `${stdout}${stderr}` }),
    );
  });
}

test.each([
  ['second-write', 'faults.full.test.ts', 'sqlite', /was made 2 times/],
  ['lost-is-failed', 'faults.full.test.ts', 'sqlite', /is there, and was told as failed/],
  ['any-post-is-it', 'faults.full.test.ts', 'sqlite', /was told as posted/],
  ['row-after-first-byte', 'killed-creates.full.test.ts', 'sqlite', /✕ before its row is kept/],
  ['answered-before-its-row', 'killed-creates.full.test.ts', 'sqlite', /✕ after the answer, before its row/],
  ['lost-is-failed', 'faulty-changes.full.test.ts', 'changes', /was told as failed, which is not so/],
])(
  'a build with %s is caught by %s',
  async (sabotage, file, word, violation) => {
    const { code, said } = await prove(file, word, sabotage);
    expect(said).toMatch(violation);
    expect(code).toBe(1);
  },
  600_000,
);
