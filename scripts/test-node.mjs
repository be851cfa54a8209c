// `npm run test:node -- VERSION [TEST PATHS]`: `npm test` of the last commit with another Node, such as 22 or 24,
// whose binary comes as a package of npm. Works in a folder of its own. Ends as the tests end, with 2 for a wrong
// argument.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [version = '', ...paths] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version)) {
  console.error(
    'npm run test:node -- VERSION [TEST PATHS]: VERSION is a version of Node, such as 22 or 24.11.0',
  );
  process.exit(2);
}

/** The package, which holds the binary and the headers for which bindings are compiled. */
function installNode(folder) {
  const name = `node-${process.platform}-${process.arch}`;
  mkdirSync(folder);
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', folder, `${name}@${version}`]);
  return join(folder, 'node_modules', name);
}

const folder = mkdtempSync(join(tmpdir(), 'test-node-'));
let status = 1;
try {
  const node = installNode(join(folder, 'node'));
  const bin = join(node, 'bin');
  // npm runs on whichever node comes first on the PATH.
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, npm_config_nodedir: node };
  const checkout = join(folder, 'checkout');
  mkdirSync(checkout);
  const files = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', checkout], { input: files });
  console.log(`Node ${execFileSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).trim()}`);
  // `npm test` installs what the lock file names, as in every new checkout.
  status = spawnSync('npm', ['test', '--', ...paths], { cwd: checkout, env, stdio: 'inherit' }).status;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);
