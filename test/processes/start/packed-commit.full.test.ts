import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildProgram } from '../running-program.ts';

/** `npm pack` as a person runs it, in a clone, with what it does before and after. */

const checkout = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'packed-'));
const clone = join(folder, 'clone');
const unpacked = join(folder, 'unpacked');

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

beforeAll(async () => {
  await buildProgram();
  execFileSync('git', ['clone', '--quiet', checkout, clone]);
  symlinkSync(join(checkout, 'node_modules'), join(clone, 'node_modules'));
  cpSync(join(checkout, 'dist'), join(clone, 'dist'), { recursive: true });
  // The build is older than this commit, whose sources are the same.
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  run('git', ...author, 'commit', '--quiet', '--allow-empty', '--message', 'chore: nothing');
  run('npm', 'pack', '--silent', '--pack-destination', folder);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  execFileSync('mkdir', [unpacked]);
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', unpacked, '--strip-components=1']);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string) => readFileSync(path, 'utf8');

test('the tarball names the commit that was packed', () => {
  const built = JSON.parse(read(join(unpacked, 'dist/program/build.json'))) as object;
  expect(built).toEqual({ commit: run('git', 'describe', '--always', '--abbrev=12', '--exclude=*') });
});

test('the tarball pins every package as the lock file does, and the clone keeps no second lock file', () => {
  expect(read(join(unpacked, 'npm-shrinkwrap.json'))).toBe(read(join(checkout, 'package-lock.json')));
  expect(existsSync(join(clone, 'npm-shrinkwrap.json'))).toBe(false);
});
