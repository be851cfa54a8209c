import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const checkout = resolve(import.meta.dirname, '../..');

test('a short fuzz run ends with the process that it began with, and without a 500', async () => {
  const args = ['scripts/fuzz.mjs', '--requests', '2000', '--seed', '1'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: checkout });
  expect(stdout).toContain('the one that it began with');
  expect(stdout).toMatch(/^500 +0$/m);
});

test('a wrong option is told', async () => {
  const args = ['scripts/fuzz.mjs', '--requests', 'many'];
  const failing = promisify(execFile)(process.execPath, args, { cwd: checkout });
  await expect(failing).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('whole number') });
});
