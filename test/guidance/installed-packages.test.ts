import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/shared/project-root.ts';
import { readDocument } from '../support/guidance.ts';

/** How many packages a production gets, as docs/operate/install.md says. */

interface LockedPackage {
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const fitsIn = (list: string[] | undefined, value: string) => list === undefined || list.includes(value);

/** What `npm ci --omit=dev` takes on the machines of the table: Linux, x64, glibc. */
const isInstalled = ({ dev = false, os, cpu, libc }: LockedPackage) =>
  !dev && fitsIn(os, 'linux') && fitsIn(cpu, 'x64') && fitsIn(libc, 'glibc');

test('the number of packages of a production is that of the lock file', () => {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const { '': _own, ...packages } = lock.packages;
  const said = /npm ci --omit=dev` \| (\d+) \|/.exec(readDocument('docs/operate/install.md'))?.[1];
  expect(Number(said)).toBe(Object.values(packages).filter(isInstalled).length);
});
