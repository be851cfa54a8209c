// A built older version of this repository, in a folder of its own.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Whether a name stands for a commit of this repository. */
export const isCommit = (name) =>
  spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { cwd: root }).status === 0;

const lockOf = (folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8');

/** The packages of this checkout serve where the older version wanted the same. */
function install(folder) {
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
}

/** Builds the version of a commit; `remove` takes it away. */
export function buildOlderVersion(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'older-version-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: files });
    install(folder);
    execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit' });
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
