import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { generateSource } from 'oazapfts';
import { projectRoot } from '../../../src/shared/project-root.ts';

/** A client that a generator makes of the served document, and programs that use it, type-checked and run by Node. */

const run = promisify(execFile);

const compiler = join(
  dirname(createRequire(join(projectRoot, 'package.json')).resolve('typescript/package.json')),
  'bin/tsc',
);

/** What a reader of the document would set; nothing of this project's own. */
const COMPILER_OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  types: ['node'],
  skipLibCheck: true,
  rewriteRelativeImportExtensions: true,
  outDir: 'out',
};

export interface GeneratedClient {
  /** The names of the functions that send a request. */
  operations: readonly string[];
  /** Type-checks a program that imports `./client.ts`. The messages of the compiler; none where all is right. */
  check(program: string): Promise<string>;
  /** What a program that was checked prints, as JSON. */
  run(): Promise<unknown>;
  remove(): void;
}

const operationsIn = (source: string) =>
  [...source.matchAll(/^export function (\w+)/gm)].map(([, name = '']) => name);

/** Generates a client of the document that a bridge serves. */
export async function generateClient(bridgeUrl: string): Promise<GeneratedClient> {
  const answer = await fetch(`${bridgeUrl}/api/v1/openapi.json`);
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  const at = (name: string) => join(folder, name);
  writeFileSync(at('openapi.json'), await answer.text());
  const source = await generateSource(at('openapi.json'), { argumentStyle: 'object' });
  writeFileSync(at('client.ts'), source);
  writeFileSync(at('package.json'), JSON.stringify({ type: 'module' }));
  const files = ['client.ts', 'program.ts'];
  writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
  symlinkSync(join(projectRoot, 'node_modules'), at('node_modules'));
  return {
    operations: operationsIn(source),
    async check(program) {
      writeFileSync(at('program.ts'), program);
      return run(process.execPath, [compiler, '-p', folder]).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
    },
    async run() {
      const { stdout } = await run(process.execPath, [at('out/program.js')], { maxBuffer: 1 << 26 });
      return JSON.parse(stdout);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
