import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** `npx grantbridge` in a checkout, as every guide says it, on a machine where npx was never called. */

let cache: string;
beforeEach(() => (cache = mkdtempSync(join(tmpdir(), 'npx-cache-'))));
afterEach(() => rmSync(cache, { recursive: true, force: true }));

test('npx grantbridge runs the command of the checkout, without any network', async () => {
  const env = { ...process.env, npm_config_cache: cache, npm_config_offline: 'true' };
  const { stdout } = await promisify(execFile)('npx', ['grantbridge', '--version'], { env });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+ \(/);
});
