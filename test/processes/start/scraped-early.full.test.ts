import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildProgram } from '../running-program.ts';

beforeAll(buildProgram, 120_000);

test('a scrape that comes while the workers start hinders no start', async () => {
  const program = fileURLToPath(new URL('../../support/programs/scraped-early.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 60_000 });
  expect(stdout).toBe('all serve\n');
}, 90_000);
