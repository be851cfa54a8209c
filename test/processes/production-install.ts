import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const checkout = resolve(import.meta.dirname, '../..');

/** The tarball of `npm pack` as npm installs it: with the packages of a production alone, and no other is found. */
export interface ProductionInstall {
  folder: string;
  hasPackage(name: string): boolean;
  /** Starts a part that runs as a process of its own; what it says first. */
  startPart(entry: string, settings: object): Promise<unknown>;
  remove(): void;
}

interface LockedPackage {
  dev?: boolean;
  devOptional?: boolean;
}

/** The folders that the lock file gives to a production. A package for another platform is not there. */
function productionPackages(): string[] {
  const text = readFileSync(join(checkout, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(join(checkout, path)));
}

/** Copies, because a link would be resolved to the checkout, where everything is installed. */
function copyPackage(path: string, folder: string): void {
  const source = join(checkout, path);
  const isOwn = (one: string) => one !== join(source, 'node_modules');
  cpSync(source, join(folder, path), { recursive: true, filter: isOwn });
}

async function firstMessage(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => ({ type: 'ended', code: code as unknown }));
  return Promise.race([once(child, 'message').then(([message]) => message as unknown), ended]);
}

/** What `npm pack` puts into a tarball, unpacked. Its scripts would build beside the tests that run the build. */
function unpackTarball(folder: string): void {
  const packed = mkdtempSync(join(tmpdir(), 'packed-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed], {
    cwd: checkout,
  });
  const [tarball = ''] = readdirSync(packed);
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', join(packed, tarball), '-C', folder, '--strip-components=1']);
  rmSync(packed, { recursive: true });
}

export function installTarball(): ProductionInstall {
  const root = mkdtempSync(join(tmpdir(), 'production-install-'));
  const folder = join(root, 'node_modules', 'grantbridge');
  unpackTarball(folder);
  for (const path of productionPackages()) copyPackage(path, root);
  return {
    folder,
    hasPackage: (name) => existsSync(join(root, 'node_modules', name)),
    async startPart(entry, settings) {
      const child = fork(join(folder, entry), [], { env: { PATH: '' }, cwd: root });
      child.send({ type: 'start', settings });
      const said = await firstMessage(child);
      child.kill('SIGKILL');
      return said;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
