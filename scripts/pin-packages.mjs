// `npm pack` runs this before and after. npm leaves package-lock.json out of a tarball. As npm-shrinkwrap.json it goes along, and
// `npm ci` in the unpacked tarball installs exactly the packages of this checkout. The build may be older than the commit that is
// packed, with the same sources, so the commit is noted anew.
//   node scripts/pin-packages.mjs [--remove]
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { noteCommit } from './build-commit.mjs';

const fileOf = (name) => new URL(`../${name}`, import.meta.url);
const pins = fileOf('npm-shrinkwrap.json');

if (process.argv.includes('--remove')) rmSync(pins, { force: true });
else {
  noteCommit(fileURLToPath(fileOf('dist')));
  copyFileSync(fileOf('package-lock.json'), pins);
}
