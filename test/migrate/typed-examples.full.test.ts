import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OLD_CALL_NAMES } from '../../src/domain/old-calls/old-calls.ts';
import { projectRoot } from '../../src/shared/project-root.ts';
import { shownCalls } from '../../src/http/migrate/shown-calls.ts';

/** The examples in TypeScript hold before a strict compiler, each call as a module of its own. */

const addresses = {
  oldApi: 'https://old.example',
  newApi: 'https://new.example',
  revocation: 'https://auth.example/token/revocation',
};

const OPTIONS = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--ignoreConfig'];
const MODULES = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
const TYPES = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules', '@types')];

/** What the compiler says of these files. */
function compile(files: readonly string[]): Promise<{ status: number; said: string }> {
  const tsc = join(projectRoot, 'node_modules', '.bin', 'tsc');
  return new Promise((resolve) => {
    execFile(tsc, [...OPTIONS, ...MODULES, ...TYPES, ...files], (error, stdout) =>
      resolve({ status: error ? 1 : 0, said: stdout }),
    );
  });
}

test('every example in TypeScript is one of strict TypeScript', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'typed-examples-'));
  const { calls, setUps } = shownCalls({ addresses, languages: ['typescript'] });
  const files = calls.map(({ anchor, codes }) => {
    const file = join(folder, `${anchor}.ts`);
    const code = codes.flatMap(({ old, steps }) => [old, ...steps.map((step) => step.code)]);
    writeFileSync(file, [...setUps.map((one) => one.code), ...code].join('\n'));
    return file;
  });
  const told = await compile(files);
  rmSync(folder, { recursive: true });
  expect(files).toHaveLength(OLD_CALL_NAMES.length);
  expect(told).toEqual({ status: 0, said: '' });
});
