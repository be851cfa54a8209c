// After each install of packages: sees to it that the binding of SQLite for this Node can be loaded
// (docs/decisions/0039). One comes compiled in its package. The other, for a Node without Node-API 10, is downloaded or
// compiled here and not by npm, so that a newer Node needs neither minute nor compiler for what it never loads.
//   node scripts/install/sqlite-binding.mjs
// Goes with the tarball and runs before anything is built, so it may import nothing but Node's own modules.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** As in src/shared/sqlite.ts, which chooses for the program. */
export const bindingPackage = Number(process.versions.napi) >= 10 ? 'better-sqlite3-napi' : 'better-sqlite3';

/** The line before the binding is made. `ensure-ready.mjs` shows it, and nothing else of what npm says. */
export const MAKING = `Fetching the binding of SQLite for Node ${process.versions.node}, or compiling it (two to three minutes) ...`;

/** A process that loads the binding, because one that was compiled for another Node may end it. */
export const loadingArguments = ['-e', `new (require('${bindingPackage}'))(':memory:')`];

function loads(folder) {
  return spawnSync(process.execPath, loadingArguments, { cwd: folder }).status === 0;
}

/** Where the package is; undefined where it was left out. */
function folderOfPackage() {
  try {
    return dirname(require.resolve(`${bindingPackage}/package.json`));
  } catch {
    console.error(
      `${bindingPackage} is not installed, which Node ${process.versions.node} needs. Do not leave out optional packages.`,
    );
    return undefined;
  }
}

function make() {
  const folder = folderOfPackage();
  if (folder === undefined) return 1;
  const root = fileURLToPath(new URL('../..', import.meta.url));
  if (loads(root)) return 0;
  console.error(MAKING);
  const script = bindingPackage === 'better-sqlite3' ? 'install' : 'build-release';
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  const made = spawnSync(command, [...first, 'run', script], { cwd: folder, stdio: 'inherit' });
  if (made.status === 0 && loads(root)) return 0;
  console.error(
    `The binding of SQLite for Node ${process.versions.node} (${bindingPackage}) could not be compiled.`,
  );
  return 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = make();
