// `npm run check [-- PART...]`: format, lint, types, structure, dead code, lock file, the project's own rules, names, and
// the references of comments. One line for each part; the whole output of those that failed.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (...parts) => join(root, 'node_modules', ...parts);
const MAX_LINES = 300;

/** Everything that people write: the files below src, test and scripts. */
function sources() {
  return ['src', 'test', 'scripts']
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => /\.(ts|mjs|cjs|js|eta|css|sql)$/.test(path));
}

function run(script, ...args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = [[], []];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    child.once('close', (code) => {
      const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString());
      done({ ok: code === 0, stdout, output: `${stdout}${stderr}`.trim() });
    });
  });
}

// With a parser that it cannot load, dependency-cruiser cruises nothing and finds nothing: the count is the proof.
async function structure() {
  const depcruise = bin('dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const { ok, stdout, output } = await run(depcruise, 'src', ...options);
  if (!stdout.startsWith('{')) return { ok: false, output };
  const { modules, summary } = JSON.parse(stdout);
  const cruised = modules.filter(({ source }) => source.startsWith('src/') && source.endsWith('.ts')).length;
  const written = sources().filter((path) => path.startsWith('src/') && path.endsWith('.ts')).length;
  const findings = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
  if (cruised === 0 || cruised !== written)
    findings.push(`${cruised} modules cruised, ${written} files in src`);
  return { ok: ok && findings.length === 0, output: findings.join('\n') || `${cruised} modules` };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

const MAX_FILES = 20;

/** Folders that nobody can take in at a glance, with how many files stand in them. */
function fullFolders(paths) {
  const counts = new Map();
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MAX_FILES);
}

function sizes() {
  const lines = sources().map((path) => [
    path,
    readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length,
  ]);
  const tooLong = lines.filter(([, count]) => count > MAX_LINES);
  const tooFull = fullFolders(lines.map(([path]) => path));
  const code = lines
    .filter(([path]) => path.startsWith('src/') && path.endsWith('.ts'))
    .map(([, count]) => count);
  const summary = `${lines.length} files, median of src ${median(code)} lines, longest ${Math.max(0, ...code)}`;
  const findings = [
    ...tooLong.map(([path, count]) => `${path}: ${count} lines, allowed are ${MAX_LINES}`),
    ...tooFull.map(([path, count]) => `${path}: ${count} files beside each other, allowed are ${MAX_FILES}`),
  ];
  return { ok: findings.length === 0, output: findings.join('\n') || summary };
}

/** They choose between the bindings of SQLite, build with them, or stand on their native parts. */
const KNOW_THE_BINDINGS = new Set([
  'src/shared/sqlite.ts',
  'scripts/install/sqlite-binding.mjs',
  'scripts/bundle.mjs',
  'scripts/ensure-ready.mjs',
  'test/support/jest/sqlite-realm.cjs',
]);

// This file states the patterns, and the tests of the checks plant them: both are exempt from what they look for.
const forbidden = [
  {
    in: (path) => !/^(scripts\/check\.mjs|test\/ground\/)/.test(path),
    pattern: /rejectUnauthorized['"]?\s*:\s*false/,
    why: 'certificates are always verified',
  },
  {
    // The examples for people who move their apps are texts, and those read the environment of others.
    in: (path) =>
      path.startsWith('src/') &&
      !['src/config/config.ts', 'src/http/owners/move/examples-typescript.ts'].includes(path),
    pattern: /process\s*(\?\.|\.)\s*env\b|process\[['"]env['"]\]|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    why: 'only src/config/config.ts reads the environment',
  },
  {
    in: (path) => !/^(scripts\/check\.mjs|test\/ground\/)/.test(path) && !KNOW_THE_BINDINGS.has(path),
    pattern: /['"`/]better-sqlite3\b/,
    why: 'only src/shared/sqlite.ts loads SQLite',
  },
];
const vagueName = /(^|[-._])(services?|managers?|utils?|helpers?|common)([-._]|$)/i;

function contentProblems(path) {
  const rules = forbidden.filter((rule) => rule.in(path));
  const lines = rules.length > 0 ? readFileSync(join(root, path), 'utf8').split('\n') : [];
  return rules.flatMap(({ pattern, why }) =>
    lines.flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${why}`] : [])),
  );
}

function ownRules() {
  const paths = sources();
  const named = paths.filter((path) => path.split('/').some((part) => vagueName.test(basename(part))));
  const findings = [
    ...named.map((path) => `${path}: the name does not say what is in it`),
    ...paths.flatMap(contentProblems),
  ];
  return { ok: findings.length === 0, output: findings.join('\n') || `${paths.length} files` };
}

const parts = {
  format: () => run(bin('@biomejs', 'biome', 'bin', 'biome'), 'format', '.'),
  lint: () => run(bin('oxlint', 'bin', 'oxlint'), '--type-aware', 'src', 'test', 'scripts'),
  types: () => run(bin('typescript', 'bin', 'tsc'), '-p', 'tsconfig.json'),
  structure,
  'dead code': () => run(bin('knip', 'bin', 'knip.js'), '--no-progress'),
  lock: () => run(join(root, 'scripts', 'check-lock.mjs')),
  sizes,
  rules: ownRules,
  names: () => run(join(root, 'scripts', 'check-names.mjs')),
  references: () => run(join(root, 'scripts', 'check-references.mjs')),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`Unknown part: ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
let failed = 0;
for (const name of asked.length > 0 ? asked : Object.keys(parts)) {
  const { ok, output } = await parts[name]();
  const remark = ok && /^\d/.test(output) ? ` (${output})` : '';
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}${remark}`);
  if (!ok) console.log(`${output}\n`);
  failed += ok ? 0 : 1;
}
console.log(failed === 0 ? 'check: all passed' : `check: ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
