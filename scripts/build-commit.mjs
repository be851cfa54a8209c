// The commit that is built, beside the program: dist/program/build.json.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the history is not at hand, as in an image, the variable BUILD_COMMIT names the commit. */
function commitOfBuild() {
  const given = process.env.BUILD_COMMIT ?? '';
  if (/^[0-9a-f]{7,40}$/.test(given)) return given;
  const describe = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  try {
    return execFileSync('git', describe, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

/** Notes it in the folder of a build. */
export function noteCommit(folder) {
  writeFileSync(join(folder, 'program', 'build.json'), JSON.stringify({ commit: commitOfBuild() }));
}
