// `npm run upgrade-trial -- COMMIT`: the test of a rolling upgrade from the version of that commit to this checkout. Two
// machines under load go forth and back, on SQLite and on PostgreSQL. Ends with 1 where a call fails, with 2 for a wrong
// argument.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOlderVersion, isCommit } from './older-version.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [commit] = process.argv.slice(2);
if (commit === undefined || !isCommit(commit)) {
  console.error(`npm run upgrade-trial -- COMMIT: ${commit ?? 'nothing'} is no commit of this repository`);
  process.exit(2);
}

const { folder, remove } = buildOlderVersion(commit);
let status = 1;
try {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const env = { ...process.env, TEST_RING: 'full', OLDER_VERSION: folder };
  status = spawnSync(process.execPath, [jest, 'upgrade/rolling-upgrade.full.test'], {
    cwd: root,
    env,
    stdio: 'inherit',
  }).status;
} finally {
  remove();
}
process.exit(status === 0 ? 0 : 1);
