// `npm run upgrade-trial -- COMMIT`: the test of a rolling upgrade from the version of that commit to this checkout. Two
// machines under load go forth and back, on SQLite and on PostgreSQL. Ends with 1 where a call fails, with 2 for a wrong
// argument.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [commit] = process.argv.slice(2);
const knows = (name) =>
  spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { cwd: root }).status === 0;
if (commit === undefined || !knows(commit)) {
  console.error(`npm run upgrade-trial -- COMMIT: ${commit ?? 'nothing'} is no commit of this repository`);
  process.exit(2);
}

const lockOf = (folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8');

/** The packages of this checkout serve where the older version wanted the same. */
function install(folder) {
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
}

const older = mkdtempSync(join(tmpdir(), 'older-version-'));
let status = 1;
try {
  const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', older], { input: files });
  install(older);
  execFileSync('npm', ['run', 'build'], { cwd: older, stdio: 'inherit' });
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const env = { ...process.env, TEST_RING: 'full', OLDER_VERSION: older };
  status = spawnSync(process.execPath, [jest, 'upgrade/rolling-upgrade.full.test'], {
    cwd: root,
    env,
    stdio: 'inherit',
  }).status;
} finally {
  rmSync(older, { recursive: true, force: true });
}
process.exit(status === 0 ? 0 : 1);
