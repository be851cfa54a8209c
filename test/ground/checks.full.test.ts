import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createProject, type Finished, type Project, runNode } from './ready-project.ts';

const CONFIGURATION = [
  'scripts/check.mjs',
  'scripts/check-lock.mjs',
  'scripts/check-names.mjs',
  '.oxlintrc.json',
  '.dependency-cruiser.cjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

let project: Project;

function check(...parts: string[]): Promise<Finished> {
  return runNode(project.folder, ['scripts/check.mjs', ...parts]);
}

beforeEach(() => {
  project = createProject(CONFIGURATION);
  symlinkSync(resolve(import.meta.dirname, '../../node_modules'), join(project.folder, 'node_modules'));
  project.write('src/main.ts', "import { rule } from './domain/rule.ts';\n\nrule();\n");
  project.write('src/domain/rule.ts', 'export function rule(): number {\n  return 1;\n}\n');
});
afterEach(() => project.remove());

const rule = "import { rule } from '../domain/rule.ts';\nexport const planted = rule;\n";

const use = (room: string) => `import { rule } from '../${room}/rule.ts';\nexport const planted = rule;\n`;

describe('npm run check', () => {
  test('a clean project passes every part that is asked for, one line each', async () => {
    project.write('test/some.test.ts', "test('something', () => undefined);\n");
    const { code, output } = await check('lint', 'structure', 'sizes', 'rules', 'lock');
    expect(output.split('\n').slice(0, 5)).toEqual([
      'ok     lint',
      'ok     structure (2 modules)',
      expect.stringMatching(/^ok {5}sizes \(6 files/),
      'ok     rules (6 files)',
      expect.stringMatching(/^ok {5}lock \(\d+ packages\)/),
    ]);
    expect(code).toBe(0);
  });

  test.each([
    ['src/store/planted.ts', 'store-reaches-shared'],
    ['src/shared/planted.ts', 'shared-reaches-nothing'],
    ['src/upstream/planted.ts', 'upstream-reaches-shared'],
    ['src/modern/planted.ts', 'modern-reaches-shared'],
    ['src/demo/planted.ts', 'demo-reaches-shared'],
  ])('%s may not import domain', async (path, name) => {
    project.write(path, rule);
    const { code, output } = await check('structure');
    expect(output).toContain(`${name}: ${path} -> src/domain/rule.ts`);
    expect(code).toBe(1);
  });

  test('a room reaches only those below it, and has its place among them', async () => {
    project.write('src/domain/grants/rule.ts', 'export const rule = 1;\n');
    project.write('src/domain/tokens/planted.ts', use('grants'));
    expect((await check('structure')).code).toBe(0);
    project.write('src/domain/keys/planted.ts', use('grants'));
    project.write('src/domain/unheard-of/planted.ts', use('grants'));
    const { output } = await check('structure');
    expect(output).toContain('domain/keys-reaches-no-room-above: src/domain/keys/planted.ts');
    expect(output).toContain('domain-has-a-room-without-a-floor: src/domain/unheard-of/planted.ts');
    expect(output).not.toContain('src/domain/tokens/planted.ts');
  });

  test('a room names what it needs: the whole context is not for it', async () => {
    project.write('src/domain/context.ts', 'export interface Context {\n  id: string;\n}\n');
    const text = "import type { Context } from '../context.ts';\nexport type Planted = Context;\n";
    project.write('src/domain/grants/planted.ts', text);
    const { code, output } = await check('structure');
    expect(output).toContain(
      'rooms-take-what-they-name: src/domain/grants/planted.ts -> src/domain/context.ts',
    );
    expect(code).toBe(1);
  });

  test.each([
    ['src/domain/planted.ts', "export { parse } from 'graphql';", 'the-bridge-needs-no-development-package'],
    [
      'src/modern/planted.ts',
      "export { test } from 'fast-check';",
      'the-embedded-side-needs-no-other-development-package',
    ],
    [
      'src/app/planted.ts',
      "export const load = () => import('../modern/part.ts');",
      'the-embedded-side-is-reached-over-http-alone',
    ],
    [
      'src/app/planted.ts',
      "export { part } from '../demo-data/part.ts';",
      'the-demo-data-is-loaded-on-demand',
    ],
  ])('%s may not hold: %s', async (path, text, name) => {
    for (const room of ['modern', 'demo-data'])
      project.write(`src/${room}/part.ts`, 'export const part = 1;\n');
    project.write(path, `${text}\n`);
    const { code, output } = await check('structure');
    expect([code, output]).toEqual([1, expect.stringContaining(`${name}: ${path} -> `)]);
  });

  test('what the embedded new API and the demo are made of is theirs to import, the demo data on demand', async () => {
    project.write('src/modern/planted.ts', "export { parse } from 'graphql';\n");
    project.write('src/demo/planted.ts', "export { default } from 'grant';\n");
    project.write('src/demo-data/part.ts', 'export const part = 1;\n');
    project.write('src/app/planted.ts', "export const load = () => import('../demo-data/part.ts');\n");
    const { output } = await check('structure');
    expect(output).not.toMatch(/development-package|on-demand|http-alone/);
  });

  test('a folder of 21 files is too full', async () => {
    for (let n = 0; n < 20; n += 1) project.write(`src/domain/full/file-${n}.ts`, '// a line\n');
    expect((await check('sizes')).code).toBe(0);
    project.write('src/domain/full/file-20.ts', '// a line\n');
    expect((await check('sizes')).output).toContain('src/domain/full: 21 files');
  });

  test('domain and jobs may not import http, and no circle is allowed', async () => {
    project.write('src/http/page.ts', rule);
    project.write(
      'src/jobs/planted.ts',
      "import { planted } from '../http/page.ts';\nexport const job = planted;\n",
    );
    project.write(
      'src/domain/rule.ts',
      "import { planted } from '../http/page.ts';\nexport const rule = () => planted;\n",
    );
    const { output } = await check('structure');
    expect(output).toMatch(/domain-reaches-\S+: src\/domain\/rule\.ts -> src\/http\/page\.ts/);
    expect(output).toMatch(/jobs-reaches-\S+: src\/jobs\/planted\.ts -> src\/http\/page\.ts/);
    expect(output).toContain('no-circular');
  });

  test('a structure check that saw no modules fails instead of passing', async () => {
    project.write(
      '.dependency-cruiser.cjs',
      'module.exports = { forbidden: [], options: { exclude: "src" } };',
    );
    const { code, output } = await check('structure');
    expect(output).toContain('0 modules cruised, 2 files in src');
    expect(code).toBe(1);
  });

  test('a file of 301 lines and a function of 51 are too long, four parameters and an eleventh branch too many', async () => {
    project.write('src/domain/long.ts', '// a line\n'.repeat(301));
    const body = '  globalThis.performance.now();\n'.repeat(48);
    const branches = Array.from({ length: 10 }, (_, i) => `  if (n === ${i}) return ${i};\n`).join('');
    project.write('src/domain/f.ts', `export function f(): void {\n${body}}\n`);
    project.write(
      'src/domain/g.ts',
      `export function g(): void {\n${body}  globalThis.performance.now();\n}\n`,
    );
    project.write(
      'src/domain/h.ts',
      `export const h = (a: number, b: number, c: number, d: number) => a + b + c + d;\n`,
    );
    project.write('src/domain/i.ts', `export function i(n: number): number {\n${branches}  return 0;\n}\n`);
    const { output } = await check('lint', 'sizes');
    expect(output).toContain('src/domain/long.ts: 301 lines');
    expect(output).toMatch(/`g` has too many lines \(51\)/);
    expect(output).not.toMatch(/`f` has too many lines/);
    expect(output).toMatch(/too many parameters \(4\)/);
    expect(output).toMatch(/`i` has a complexity of 11/);
  });

  test('a promise that nobody waits for and an any are found', async () => {
    project.write(
      'src/domain/p.ts',
      'export async function p(): Promise<void> {}\nexport const a: any = 1;\np();\n',
    );
    const { output } = await check('lint');
    expect(output).toContain('no-floating-promises');
    expect(output).toContain('no-explicit-any');
  });

  test.each([
    ['process.env.HOME', false],
    ["process.env['HOME']", false],
    ['globalThis.process?.env', false],
    ["process['env']", false],
    ['process.environment', true],
  ])(
    'src reads the environment in config.ts alone: %s is allowed elsewhere: %s',
    async (expression, allowed) => {
      project.write('src/config/config.ts', `export const a = ${expression};\n`);
      project.write('src/domain/planted.ts', `export const a = ${expression};\n`);
      const { output } = await check('rules');
      expect(
        output.includes('src/domain/planted.ts:1: only src/config/config.ts reads the environment'),
      ).toBe(!allowed);
      expect(output).not.toContain('src/config/config.ts:1');
    },
  );

  test('unverified certificates and names that say nothing are found', async () => {
    project.write('test/planted.ts', 'export const o = { rejectUnauthorized: false };\n');
    for (const name of ['token-service', 'utils', 'helper', 'common', 'grant-manager'])
      project.write(`src/domain/${name}.ts`, '');
    project.write('src/helpers/a.ts', '');
    project.write('src/domain/commonplace.ts', '');
    const { output } = await check('rules');
    expect(output).toContain('test/planted.ts:1: certificates are always verified');
    expect(output.match(/the name does not say/g)).toHaveLength(6);
  });

  test('a second way to SQLite is found, wherever it is', async () => {
    project.write(
      'src/shared/sqlite.ts',
      "import type Sqlite from 'better-sqlite3';\nexport type Db = Sqlite.Database;\n",
    );
    project.write(
      'src/store/planted.ts',
      "import type Sqlite from 'better-sqlite3';\nexport type Db = Sqlite.Database;\n",
    );
    project.write('test/planted.test.ts', 'const Sqlite = require("better-sqlite3-napi");\n');
    project.write('scripts/planted.mjs', 'const at = `${root}/node_modules/better-sqlite3`;\n');
    const { code, output } = await check('rules');
    for (const path of ['src/store/planted.ts', 'test/planted.test.ts', 'scripts/planted.mjs'])
      expect(output).toContain(`${path}:1: only src/shared/sqlite.ts loads SQLite`);
    expect(output).not.toContain('src/shared/sqlite.ts:');
    expect(code).toBe(1);
  });

  test('a type that does not say what it is, and one exported name for two things, are found', async () => {
    project.write('src/domain/a.ts', 'interface Asked {\n  id: string;\n}\nexport type Planned = Asked;\n');
    project.write('src/domain/b.ts', 'export const rule = 1;\ninterface Keyring {\n  id: string;\n}\n');
    const { code, output } = await check('names');
    expect(output.match(/is not named by what it is/g)).toHaveLength(2);
    expect(output).toContain('src/domain/a.ts: the type Asked');
    expect(output).toContain('rule is exported by src/domain/b.ts and src/domain/rule.ts');
    expect(code).toBe(1);
  });

  test('a part that does not exist is a wrong use', async () => {
    expect(await check('everything')).toEqual({
      code: 2,
      output: expect.stringContaining('There are: format, lint'),
    });
  });
});
