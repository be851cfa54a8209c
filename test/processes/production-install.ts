import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const checkout = resolve(import.meta.dirname, '../..');

/** The built program with the packages of `npm ci --omit=dev` alone, in a folder from which no other is found. */
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

export function copyProductionInstall(): ProductionInstall {
  const folder = mkdtempSync(join(tmpdir(), 'production-install-'));
  for (const part of ['dist', 'db', 'src', 'package.json', 'package-lock.json'])
    cpSync(join(checkout, part), join(folder, part), { recursive: true });
  for (const path of productionPackages()) copyPackage(path, folder);
  return {
    folder,
    hasPackage: (name) => existsSync(join(folder, 'node_modules', name)),
    async startPart(entry, settings) {
      const child = fork(join(folder, entry), [], { env: { PATH: '' }, cwd: dirname(folder) });
      child.send({ type: 'start', settings });
      const said = await firstMessage(child);
      child.kill('SIGKILL');
      return said;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
