// Brings the installed packages and the build up to date, then runs a file in this same process. Works before anything
// is installed, so it may import nothing but Node's own modules and its neighbour.
//   node scripts/ensure-ready.mjs [--dev] [--then FILE [ARGS...]]
// --dev: a type error does not stop the file from running; its build is used and made again at the next start.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bindingPackage, loadingArguments, MAKING } from './install/sqlite-binding.mjs';
import { nameWorker, underLock } from './start-lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);
const say = (text) => process.stderr.write(`${text}\n`);
const readText = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const readJson = (path) => JSON.parse(readText(path) || '{}');

const installStamp = at('node_modules', '.ready');
const buildStamp = at('dist', '.ready');
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A reason in plain words; anything else that is thrown is a mistake in this script. */
class NotReady extends Error {}

// --- what is needed ---------------------------------------------------------------------------------------------------

function satisfies(version, comparator) {
  const [, sign, wanted] = /^(>=|<)?(.+)$/.exec(comparator);
  const [a, b] = [version, wanted].map((text) => text.split('.').map(Number));
  const order = [0, 1, 2].map((i) => (a[i] ?? 0) - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return sign === '<' ? order < 0 : order >= 0;
}

function checkNode() {
  const wanted = readJson(at('package.json')).engines?.node ?? '>=20.19';
  const fits = wanted.split('||').some((range) =>
    range
      .trim()
      .split(/\s+/)
      .every((part) => satisfies(process.versions.node, part)),
  );
  if (!fits) throw new NotReady(`This is Node.js ${process.versions.node}; Node.js ${wanted} is needed.`);
}

function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function npmCommand() {
  const running = process.env.npm_execpath;
  if (running?.endsWith('npm-cli.js') && existsSync(running)) return [process.execPath, running];
  return process.platform === 'win32' ? ['npm.cmd'] : ['npm'];
}

// Checked before npm runs, because `npm ci` deletes what is installed before it finds out that it cannot compile.
function checkInstallTools() {
  const [npm] = npmCommand();
  if (npm !== process.execPath && !onPath(npm))
    throw new NotReady('npm is not installed (it comes with Node.js).');
  const compiles =
    bindingPackage === 'better-sqlite3' &&
    readText(at('package-lock.json')).includes('"node_modules/better-sqlite3"');
  if (!compiles || process.platform === 'win32') return;
  const missing = ['python3', 'make', process.env.CXX?.split(' ')[0] || 'g++'].filter(
    (tool) => !onPath(tool),
  );
  if (missing.length === 0) return;
  throw new NotReady(
    `Not installed on this machine: ${missing.join(', ')}. They are needed once, to compile the database driver ` +
      '(better-sqlite3). On Debian or Ubuntu: apt-get install python3 make g++',
  );
}

// --- what is there ----------------------------------------------------------------------------------------------------

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .toSorted();
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

function installDigest() {
  const { dependencies, optionalDependencies, devDependencies, overrides, allowScripts } = readJson(
    at('package.json'),
  );
  const wanted = JSON.stringify([
    dependencies,
    optionalDependencies,
    devDependencies,
    overrides,
    allowScripts,
  ]);
  return digest([
    readText(at('package-lock.json')),
    wanted,
    process.versions.modules,
    process.platform,
    process.arch,
  ]);
}

function buildDigest() {
  const inputs = [
    ...filesBelow(at('src')),
    at('tsconfig.json'),
    at('tsconfig.build.json'),
    at('scripts', 'bundle.mjs'),
  ];
  return digest([installDigest(), ...inputs.flatMap((path) => [path.slice(root.length), readText(path)])]);
}

// npm's own record is part of the stamp: packages that somebody took away later (`npm prune --omit=dev`) are missed.
const installedDigest = () => digest([installDigest(), readText(at('node_modules', '.package-lock.json'))]);

const isInstalled = () => readText(installStamp) === installedDigest();
const isBuilt = () => readText(buildStamp) === buildDigest();

// An install made by hand (`npm ci`, `npm install`) leaves npm's own record; where that equals the lock file and the
// compiled driver loads in this Node, a second install would only cost a minute.
async function adoptManualInstall() {
  const placed = readJson(at('node_modules', '.package-lock.json')).packages;
  const locked = readJson(at('package-lock.json')).packages;
  if (!placed || !locked) return;
  const { dependencies, devDependencies } = readJson(at('package.json'));
  const asked = locked[''] ?? {};
  if (
    JSON.stringify([asked.dependencies, asked.devDependencies]) !==
    JSON.stringify([dependencies, devDependencies])
  )
    return;
  const complete = Object.entries(locked).every(
    ([path, entry]) =>
      path === '' || (placed[path]?.version ?? (entry.optional && entry.version)) === entry.version,
  );
  if (!complete) return;
  const loads = await run(process.execPath, loadingArguments);
  if (loads.code === 0) writeFileSync(installStamp, installedDigest());
}

// --- doing it ---------------------------------------------------------------------------------------------------------

// Children get a process group of their own: it is stopped as a whole when this process is asked to stop, and it is
// named in the lock, because npm goes on writing when this process is killed outright.
function run(command, args, hear = () => {}) {
  return new Promise((done) => {
    const env = { ...process.env, NODE_ENV: 'development' };
    const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const stop = () => {
      // npm takes its time over SIGTERM; nothing is lost, an install without a stamp is made again.
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
      process.exit(1);
    };
    const finish = (code, text) => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
      done({ code, output: text.trim() });
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    if (child.pid) nameWorker(child.pid);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
        hear(output);
      });
    child.once('error', (error) => finish(1, `${output}${error.message}`));
    child.once('close', (code) => finish(code ?? 1, output));
  });
}

async function install() {
  await adoptManualInstall();
  if (isInstalled()) return;
  checkInstallTools();
  const longer =
    bindingPackage === 'better-sqlite3'
      ? ', and two to three more where the binding of SQLite is compiled'
      : '';
  say(`Installing packages (one to two minutes, once${longer}) ...`);
  let isTold = false;
  const tellOfBinding = (heard) => {
    if (isTold || !heard.includes(MAKING)) return;
    isTold = true;
    say(MAKING);
  };
  const [command, ...first] = npmCommand();
  // --include=dev: the build needs TypeScript, also where the caller's environment says "production".
  // Strict here and not in .npmrc, where it would refuse `npx grantbridge`: npx installs this folder too, which has a script.
  const options = ['--include=dev', '--strict-allow-scripts', '--no-audit', '--no-fund'];
  const { code, output } = await run(command, [...first, 'ci', ...options], tellOfBinding);
  if (code !== 0)
    throw new NotReady(`${output}\nThe packages could not be installed; what npm said stands above.`);
  mkdirSync(at('node_modules'), { recursive: true });
  writeFileSync(installStamp, installedDigest());
}

// Built beside dist/ and swapped in whole, so that a program that is running never meets a half-written file.
async function build(lenient) {
  const [next, old] = [at('dist-next'), at('dist-old')];
  const clear = () => [next, old].forEach((folder) => rmSync(folder, { recursive: true, force: true }));
  clear();
  const stamp = buildDigest();
  const tsc = at('node_modules', 'typescript', 'bin', 'tsc');
  const compile = [tsc, '-p', 'tsconfig.build.json', '--outDir', 'dist-next'];
  const { code, output } = await run(process.execPath, compile);
  if (code !== 0) reportBuildFailure(output, lenient && existsSync(next));
  const bundled = await run(process.execPath, [at('scripts', 'bundle.mjs'), 'dist-next']);
  if (bundled.code !== 0) throw new NotReady(`${bundled.output}\nThe built modules could not be joined.`);
  if (code === 0) writeFileSync(join(next, '.ready'), stamp);
  if (existsSync(at('dist'))) renameSync(at('dist'), old);
  renameSync(next, at('dist'));
  clear();
}

function reportBuildFailure(output, goOn) {
  if (!goOn)
    throw new NotReady(`${output}\nThe program could not be built; what the compiler said stands above.`);
  const errors = output.split('\n').filter((line) => /error TS\d+/.test(line));
  say(`The build has ${errors.length} type error(s), going on: ${errors[0] ?? output}`);
}

// --- the order of it --------------------------------------------------------------------------------------------------

async function ensureReady(lenient) {
  checkNode();
  // Left by an `npm pack` that was cut off. npm would install from it instead of the lock file.
  rmSync(at('npm-shrinkwrap.json'), { force: true });
  if (isInstalled() && isBuilt()) return;
  const prepare = async () => {
    if (!isInstalled()) await install();
    if (!isBuilt()) await build(lenient);
  };
  await underLock(prepare, () => say('Another start is preparing this folder; waiting for it ...'));
}

const then = process.argv.indexOf('--then');
const own = process.argv.slice(2, then < 0 ? undefined : then);
const [file, ...rest] = then < 0 ? [] : process.argv.slice(then + 1);
try {
  await ensureReady(own.includes('--dev'));
} catch (error) {
  say(error instanceof NotReady ? error.message : error.stack);
  process.exit(1);
}
if (file) {
  process.setSourceMapsEnabled(true);
  const path = resolve(root, file);
  process.argv = [process.argv[0], path, ...rest];
  await import(pathToFileURL(path).href);
}
