// `npm pack` runs this before and after. npm leaves package-lock.json out of a tarball. As npm-shrinkwrap.json it goes along, and
// `npm ci` in the unpacked tarball installs exactly the packages of this checkout.
//   node scripts/pin-packages.mjs [--remove]
import { copyFileSync, rmSync } from 'node:fs';

const fileOf = (name) => new URL(`../${name}`, import.meta.url);
const pins = fileOf('npm-shrinkwrap.json');

if (process.argv.includes('--remove')) rmSync(pins, { force: true });
else copyFileSync(fileOf('package-lock.json'), pins);
