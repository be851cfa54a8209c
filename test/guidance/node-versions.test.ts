import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import semver from 'semver';
import { projectRoot } from '../../src/shared/project-root.ts';
import { readDocument, rowsBelow } from '../support/guidance.ts';

/** package.json, the documents, the files for containers and `npm run test:node` name the same versions of Node. */

const { engines, scripts } = JSON.parse(readDocument('package.json')) as {
  engines: { node: string };
  scripts: Record<string, string>;
};

const INSTALL = 'docs/operate/install.md';
const rows = rowsBelow(readDocument(INSTALL), '| Node | stands | what it costs |').map(
  ([version = '', stands = '', costs = '']) => ({ version, stands, costs }),
);

test('the document has a row for each version, the newest first, and recommends one', () => {
  expect(rows.map(({ version }) => version)).toEqual(['24', '22', '20']);
  expect(rows.filter(({ stands }) => stands.startsWith('recommended')).map(({ version }) => version)).toEqual(
    ['24'],
  );
  for (const { version, stands } of rows) {
    const first = /^supported,? from (\d+\.\d+) on/.exec(stands)?.[1] ?? `${version}.0`;
    expect([version, semver.satisfies(`${first}.0`, engines.node)]).toEqual([version, true]);
    const before = `${version}.${Number(first.split('.')[1]) - 1}.0`;
    if (!first.endsWith('.0'))
      expect([before, semver.satisfies(before, engines.node)]).toEqual([before, false]);
  }
});

test('what is older or between is refused', () => {
  for (const version of ['18.20.0', '20.18.0', '21.7.0', '22.12.0'])
    expect([version, semver.satisfies(version, engines.node)]).toEqual([version, false]);
});

test.each(['README.md', 'CONTRIBUTING.md', INSTALL])('%s names the versions of package.json', (path) => {
  const words = readDocument(path).replaceAll(/\s+/g, ' ');
  const [, oldest, next] = /Node 20 from (\d+\.\d+) on, or (\d+\.\d+) or newer/.exec(words) ?? [];
  expect(engines.node).toBe(`>=${oldest} <21 || >=${next}`);
});

test('the files for containers take the recommended version', () => {
  const versions = [...readDocument('deploy/Dockerfile').matchAll(/^FROM node:(\d+)/gm)].map(
    ([, version]) => version,
  );
  expect(new Set(versions)).toEqual(new Set(['24']));
});

interface LockedPackage {
  engines?: { node?: string };
  optional?: boolean;
}

test('no package refuses a version: npm is told to install none that does', () => {
  const { packages } = JSON.parse(readDocument('package-lock.json')) as {
    packages: Record<string, LockedPackage>;
  };
  const held = Object.entries(packages).filter(([, { optional = false }]) => !optional);
  const refused = held.flatMap(([path, { engines: wanted }]) =>
    ['20.19.0', '22.13.0', '24.0.0']
      .filter((version) => !semver.satisfies(version, wanted?.node ?? '*'))
      .map((version) => `${path} refuses ${version}`),
  );
  expect(held.length).toBeGreaterThan(500);
  expect(refused).toEqual([]);
  expect(readDocument('.npmrc')).toContain('engine-strict=true');
});

test('npm run test:node runs on what it is told, and refuses what is no version', () => {
  expect(scripts['test:node']).toContain('scripts/test-node.mjs');
  for (const version of ['', 'latest', '--help']) {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(projectRoot, 'scripts/test-node.mjs'), version],
      {
        encoding: 'utf8',
      },
    );
    expect({ version, status }).toEqual({ version, status: 2 });
    expect(stderr).toContain('such as 22 or 24');
  }
});
