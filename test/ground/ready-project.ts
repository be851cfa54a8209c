import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const checkout = resolve(import.meta.dirname, '..', '..');

/** What a finished program said and how it ended. */
export interface Finished {
  code: number | null;
  output: string;
}

/** Runs Node in a folder with exactly these variables on top of a minimal environment. */
export function runNode(folder: string, args: string[], env: Record<string, string> = {}): Promise<Finished> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('close', (code) => done({ code, output }));
  });
}

/** A small project of its own in a temporary folder; paths are relative to it. */
export interface Project {
  folder: string;
  write(path: string, text: string): void;
  append(path: string, text: string): void;
  read(path: string): string;
  has(path: string): boolean;
  remove(): void;
}

/** An empty project with the named files of this checkout in it. */
export function createProject(copied: string[]): Project {
  const folder = mkdtempSync(join(tmpdir(), 'ground-'));
  const at = (path: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  for (const path of copied) cpSync(join(checkout, path), at(path));
  return {
    folder,
    write: (path, text) => writeFileSync(at(path), text),
    append: (path, text) => appendFileSync(at(path), text),
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    has: (path) => existsSync(join(folder, path)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

// Stands in for the compiler: copies src, notes that it ran, finds a type error and takes its time where the words stand.
const fakeCompiler = `
const { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const out = process.argv[process.argv.indexOf('--outDir') + 1];
appendFileSync('builds.log', 'built\\n');
mkdirSync(out, { recursive: true });
let failed = false;
for (const name of readdirSync('src')) {
  const text = readFileSync('src/' + name, 'utf8');
  if (text.includes('SLOW')) {
    writeFileSync('slow.pid', String(process.pid));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000);
  }
  cpSync('src/' + name, out + '/' + name.replace('.ts', '.js'));
  if (text.includes('TYPE-ERROR')) failed = true;
}
if (failed) console.log('src/main.ts(1,1): error TS2322: planted');
process.exitCode = failed ? 2 : 0;
`;

const compiler = { name: 'typescript', version: '7.0.0' };
const devDependencies = { typescript: 'file:vendor/typescript' };
const dependencies = { served: 'file:vendor/served' };

/** A project that installs without a registry (its packages lie beside it) and builds in no time. */
export function createInstallableProject(): Project {
  const project = createProject([
    'scripts/ensure-ready.mjs',
    'scripts/install/sqlite-binding.mjs',
    'scripts/start-lock.mjs',
  ]);
  // Joins nothing: what these tests look at is when it is built, not what.
  project.write('scripts/bundle.mjs', '');
  const manifest = { name: 'ground', version: '1.0.0', type: 'module', dependencies, devDependencies };
  const lock = {
    name: 'ground',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'ground', version: '1.0.0', dependencies, devDependencies },
      'node_modules/served': { resolved: 'vendor/served', link: true },
      'node_modules/typescript': { resolved: 'vendor/typescript', link: true },
      'vendor/served': { version: '1.0.0' },
      'vendor/typescript': { version: compiler.version, dev: true },
    },
  };
  project.write('package.json', JSON.stringify(manifest));
  // As npm itself writes it, so that npm leaves it as it is.
  project.write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  project.write('vendor/served/package.json', JSON.stringify({ name: 'served', version: '1.0.0' }));
  project.write('vendor/typescript/package.json', JSON.stringify(compiler));
  project.write('vendor/typescript/bin/tsc', fakeCompiler);
  project.write('tsconfig.json', '{}');
  project.write('tsconfig.build.json', '{}');
  project.write('src/main.ts', "console.log('ran with', process.argv.slice(2).join(' '));\n");
  return project;
}
