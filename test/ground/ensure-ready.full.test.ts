import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createInstallableProject, type Finished, type Project, runNode } from './ready-project.ts';

/** Then the binding of SQLite comes compiled. */
const hasNodeApi10 = Number(process.versions['napi']) >= 10;

const THEN = ['--then', 'dist/main.js'];

function start(project: Project, args: string[] = THEN, env: Record<string, string> = {}): Promise<Finished> {
  return runNode(project.folder, ['scripts/ensure-ready.mjs', ...args], env);
}

function builds(project: Project): number {
  return project.has('builds.log') ? project.read('builds.log').trim().split('\n').length : 0;
}

/** A PATH on which only these names are found; none of them is the real program. */
function pathWith(project: Project, programs: string[]): string {
  const folder = join(project.folder, `bin-${programs.join('-')}`);
  mkdirSync(folder);
  for (const program of programs) symlinkSync(process.execPath, join(folder, program));
  return folder;
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('on a machine where something is missing', () => {
  let project: Project;
  beforeEach(() => (project = createInstallableProject()));
  afterEach(() => project.remove());

  test('each tool that is needed to compile the database driver is named, before anything is installed', async () => {
    project.write('package-lock.json', '{"packages":{"node_modules/better-sqlite3":{"version":"12.11.1"}}}');
    const { code, output } = await start(project, THEN, { PATH: pathWith(project, ['npm', 'make']) });
    if (hasNodeApi10) return expect(output).not.toContain('Not installed');
    expect(output).toMatch(
      /^Not installed on this machine: python3, g\+\+\. .*better-sqlite3.*apt-get install/,
    );
    expect(code).toBe(1);
    expect(project.has('node_modules')).toBe(false);
  });

  test('compilers are not asked for when nothing has to be compiled', async () => {
    const { output } = await start(project, THEN, { PATH: pathWith(project, ['npm']) });
    expect(output).not.toContain('Not installed');
  });

  test('a missing npm is named', async () => {
    const { code, output } = await start(project, THEN, { PATH: pathWith(project, ['python3']) });
    expect(output).toBe('npm is not installed (it comes with Node.js).\n');
    expect(code).toBe(1);
  });

  test.each([
    ['>=99', false],
    ['>=18 <20 || >=99.1', false],
    ['<99', true],
    [`>=${process.versions.node}`, true],
    ['>=99 || >=18.1', true],
  ])('a project that wants Node %s: this one is good enough: %s', async (node, fits) => {
    project.write('package.json', JSON.stringify({ engines: { node } }));
    const { output } = await start(project, THEN, { PATH: '' });
    if (fits) expect(output).toContain('npm is not installed');
    else expect(output).toBe(`This is Node.js ${process.versions.node}; Node.js ${node} is needed.\n`);
  });

  test("a failed install ends with its reason and shows npm's own words", async () => {
    project.write('package-lock.json', '{"lockfileVersion":3,"packages":{"":{"name":"ground"}}}');
    const { code, output } = await start(project);
    expect(output).toMatch(/npm error[\s\S]*The packages could not be installed/);
    expect(code).toBe(1);
  });
});

describe('on a fresh checkout', () => {
  let project: Project;
  beforeAll(() => (project = createInstallableProject()));
  afterAll(() => project.remove());

  test('two starts at once install and build once, and both run', async () => {
    const both = await Promise.all([start(project), start(project)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    for (const { output } of both) expect(output).toContain('ran with');
    expect(both.filter(({ output }) => output.includes('Installing packages'))).toHaveLength(1);
    expect(builds(project)).toBe(1);
  });

  test('the second start installs and builds nothing and passes every argument on', async () => {
    const since = performance.now();
    const { output } = await start(project, [...THEN, '-t', 'a name', '--then', 'x']);
    expect(output).toBe('ran with -t a name --then x\n');
    expect(builds(project)).toBe(1);
    expect(performance.now() - since).toBeLessThan(15_000);
  });

  test('what was deleted from the source is gone from the build', async () => {
    project.write('src/extra.ts', '');
    await start(project);
    expect(project.has('dist/extra.js')).toBe(true);
    expect(builds(project)).toBe(2);
    rmSync(join(project.folder, 'src/extra.ts'));
    await start(project);
    expect(project.has('dist/extra.js')).toBe(false);
    expect(builds(project)).toBe(3);
  });

  test('a type error stops a start and leaves the last good build; with --dev it is told and the file runs', async () => {
    const good = project.read('src/main.ts');
    project.write('src/main.ts', "console.log('newest'); // TYPE-ERROR\n");
    const strict = await start(project);
    expect(strict.code).toBe(1);
    expect(strict.output).toMatch(/error TS2322: planted[\s\S]*could not be built/);
    expect(project.read('dist/main.js')).toBe(good);
    const lenient = await start(project, ['--dev', ...THEN]);
    expect(lenient.output).toMatch(/1 type error[\s\S]*newest/);
    expect((await start(project)).code).toBe(1);
    project.write('src/main.ts', good);
    expect((await start(project)).code).toBe(0);
  });

  test('a changed lock file means a new install', async () => {
    project.append('package-lock.json', '\n');
    expect((await start(project)).output).toContain('Installing packages');
  });

  test('an install says when the binding of SQLite is made, and how long the whole takes on such a Node', async () => {
    const before = project.read('package.json');
    // Says the line as the script does after an install of this project.
    const postinstall = `node -e "import('./scripts/install/sqlite-binding.mjs').then((made) => console.error(made.MAKING))"`;
    project.write('package.json', JSON.stringify({ ...JSON.parse(before), scripts: { postinstall } }));
    project.append('package-lock.json', '\n');
    const { code, output } = await start(project).finally(() => project.write('package.json', before));
    expect([code, output.match(/or compiling it \(two to three minutes\)/g)]).toEqual([
      0,
      [expect.anything()],
    ]);
    expect(output.includes('and two to three more')).toBe(!hasNodeApi10);
  });

  test('packages that are only for development are installed again when they were taken away', async () => {
    const npm = promisify(execFile);
    await npm('npm', ['prune', '--omit=dev', '--offline'], { cwd: project.folder });
    expect(project.has('node_modules/typescript')).toBe(false);
    const { code, output } = await start(project);
    expect([code, output]).toEqual([0, expect.stringContaining('Installing packages')]);
    expect(project.has('node_modules/typescript')).toBe(true);
  });

  test('the lock of a start that was killed is taken over by exactly one of those that wait', async () => {
    project.write('dist-lock/owner.json', JSON.stringify({ pid: 2 ** 22 + 1, mark: 'killed' }));
    project.append('src/main.ts', '// changed\n');
    const before = builds(project);
    const all = await Promise.all([start(project), start(project), start(project)]);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(builds(project)).toBe(before + 1);
    expect(project.has('dist-lock')).toBe(false);
  });

  test('a start that is asked to stop stops what it started, and the next one does not wait', async () => {
    project.append('src/main.ts', '// SLOW\n');
    const stopped = spawn(process.execPath, ['scripts/ensure-ready.mjs'], { cwd: project.folder });
    const ended = once(stopped, 'exit');
    while (!project.has('slow.pid')) await setTimeout(20);
    stopped.kill('SIGTERM');
    expect(await ended).toEqual([1, null]);
    const compiler = Number(project.read('slow.pid'));
    project.write('src/main.ts', project.read('src/main.ts').replace('SLOW', 'fast'));
    const since = performance.now();
    expect((await start(project)).code).toBe(0);
    expect(performance.now() - since).toBeLessThan(15_000);
    expect(runs(compiler)).toBe(false);
  });

  test('what a killed start left running is waited for', async () => {
    const since = performance.now();
    const left = spawn('sleep', ['3'], { detached: true });
    project.write(
      'dist-lock/owner.json',
      JSON.stringify({ pid: 2 ** 22 + 1, mark: 'killed', group: left.pid }),
    );
    project.append('src/main.ts', '// changed again\n');
    expect((await start(project)).output).toContain('waiting for it');
    expect(performance.now() - since).toBeGreaterThan(2900);
  });

  test('an error of the file that runs is shown with its place and ends with 1', async () => {
    project.write('broken.mjs', "throw new Error('from the file itself');\n");
    const { code, output } = await start(project, ['--then', 'broken.mjs']);
    expect(output).toMatch(/broken\.mjs:1[\s\S]*from the file itself/);
    expect(code).toBe(1);
  });
});
