import { cpSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { projectRoot } from '../../src/shared/project-root.ts';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { readDocument } from '../support/guidance.ts';
import { createProject, type Project, runNode } from './ready-project.ts';

/** Of two bindings of SQLite each Node loads the one that does not end it (docs/decisions/0039). */

const SCRIPT = 'scripts/install/sqlite-binding.mjs';
const NEWER = 'better-sqlite3-napi';
const expected = Number(process.versions['napi']) >= 10 ? NEWER : 'better-sqlite3';
const installedVersion = (name: string) =>
  (JSON.parse(readDocument(`node_modules/${name}/package.json`)) as { version: string }).version;

interface LockedPackage {
  version: string;
  optional?: boolean;
  engines: { node: string };
}
const { packages } = JSON.parse(readDocument('package-lock.json')) as {
  packages: Record<string, LockedPackage>;
};

let project: Project;
beforeEach(() => (project = createProject([SCRIPT])));
afterEach(() => project.remove());

/** A binding that can be loaded once its own script has made it. */
function plantBinding(made: string): void {
  const manifest = { name: expected, version: '1.0.0', scripts: { install: made, 'build-release': made } };
  project.write(`node_modules/${expected}/package.json`, JSON.stringify(manifest));
  project.write(
    `node_modules/${expected}/index.js`,
    "module.exports = class { constructor() { if (!require('fs').existsSync(`${__dirname}/made`)) throw new Error('not made'); } };",
  );
}

const MAKES = "node -e \"require('fs').appendFileSync('made', 'once ')\"";
const madeTimes = () =>
  project.has(`node_modules/${expected}/made`)
    ? project.read(`node_modules/${expected}/made`).trim().split(' ').length
    : 0;

test('the program runs on the binding of this Node, and a database tells that it is whole', () => {
  const binding = installedVersion(expected);
  expect(semver.major(binding)).toBe(expected === NEWER ? 13 : 12);
  const db = new Sqlite(':memory:');
  // Only version 13 has it.
  expect('explain' in db).toBe(expected === NEWER);
  expect(() => db.exec('select from')).toThrow(Sqlite.SqliteError);
  db.close();
});

test('no Node that is supported is refused by its binding, and npm leaves out the newer one by itself', () => {
  const [older, newer] = ['better-sqlite3', NEWER].map((name) => packages[`node_modules/${name}`]);
  for (const version of ['20.19.0', '22.13.0', '24.0.0'])
    expect([version, semver.satisfies(version, older?.engines.node ?? '')]).toEqual([version, true]);
  expect(newer).toMatchObject({ optional: true, engines: { node: '>=22' } });
});

test('the binding is made after an install, once and with a word, and not where it can be loaded', async () => {
  plantBinding(MAKES);
  for (const isTold of [true, false]) {
    const { code, output } = await runNode(project.folder, [SCRIPT]);
    expect([code, madeTimes(), output.includes('or compiling it')]).toEqual([0, 1, isTold]);
  }
});

test.each([
  ['cannot be made', 'exit 3'],
  ['is made and cannot be loaded all the same', 'exit 0'],
])('an install whose binding %s fails and names it', async (_, made) => {
  plantBinding(made);
  const { code, output } = await runNode(project.folder, [SCRIPT]);
  expect(output).toContain(`(${expected}) could not be compiled.`);
  expect(code).toBe(1);
});

test.each([
  ['were not installed', undefined],
  ['were installed without the compiled part', 'exit 0'],
])('a program whose packages %s for this Node says what to do', async (_, made) => {
  if (made !== undefined) plantBinding(made);
  project.write('package.json', '{"type":"module"}');
  cpSync(join(projectRoot, 'dist/shared/sqlite.js'), join(project.folder, 'sqlite.js'));
  const { code, output } = await runNode(project.folder, ['sqlite.js']);
  expect(output).toContain(
    `${expected} does not load, which Node ${process.versions.node} needs. Run npm ci with this Node`,
  );
  expect(code).toBe(1);
});
