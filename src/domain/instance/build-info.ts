import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../shared/project-root.ts';
import { migrationFiles } from '../../store/driver/schema/migrations.ts';

/** What this build is. Operators and fleets of machines compare it. */
export interface BuildInfo {
  /** The version of package.json. */
  version: string;
  /** The commit of the build, with `-dirty` behind it where files were changed; `unknown` without a build or a history. */
  commit: string;
  /** The newest schema that this build knows, by the folders below `db`. */
  schema: { sqlite: number; 'sqlite-volatile': number; postgres: number };
}

const newest = (folder: string): number => migrationFiles(folder).at(-1)?.number ?? 0;

const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(projectRoot, ...path), 'utf8'));

const isBuild = () => fileURLToPath(import.meta.url).startsWith(join(projectRoot, 'dist'));

/** `scripts/build-commit.mjs` notes the commit beside the program. */
function commitOfBuild(): string {
  const path = ['dist', 'program', 'build.json'];
  const isNoted = isBuild() && existsSync(join(projectRoot, ...path));
  return isNoted ? (read(...path) as { commit: string }).commit : 'unknown';
}

/** Reads it from the files of the build. */
export function buildInfo(): BuildInfo {
  const { version } = read('package.json') as { version: string };
  const schema = {
    sqlite: newest('sqlite'),
    'sqlite-volatile': newest('sqlite-volatile'),
    postgres: newest('postgres'),
  };
  return { version, commit: commitOfBuild(), schema };
}

/** In one line, for people. */
export function buildWords({ version, commit, schema }: BuildInfo): string {
  const schemas = Object.entries(schema).map(([folder, number]) => `${folder} ${number}`);
  return `${version} (commit ${commit}; schema ${schemas.join(', ')})`;
}
