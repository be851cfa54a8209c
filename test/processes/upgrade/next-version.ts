import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { projectRoot } from '../../../src/shared/project-root.ts';

/** The program as its next release may be: with one more migration for each database, which only adds. */
export interface NextVersion {
  folder: string;
  remove(): void;
}

/** In each database, on a table that every call reads or writes. */
const TABLES = { postgres: 'mappings', sqlite: 'mappings', 'sqlite-volatile': 'answers' } as const;

const migrationText = (worksFrom: number, table: string) => `-- Works from schema ${worksFrom}.
create table of_the_next_version (id text primary key);
alter table ${table} add column of_the_next_version text;
create index ${table}_of_the_next_version on ${table} (of_the_next_version);
`;

const PARTS = ['dist', 'db', 'package.json', 'src'];

/** Makes it beside the checkout, whose packages it uses. */
export function makeNextVersion(): NextVersion {
  const folder = mkdtempSync(join(tmpdir(), 'next-version-'));
  for (const part of PARTS) cpSync(join(projectRoot, part), join(folder, part), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  for (const [kind, table] of Object.entries(TABLES)) {
    const newest = migrationFiles(kind).at(-1)?.number ?? 0;
    const number = String(newest + 1).padStart(3, '0');
    writeFileSync(join(folder, 'db', kind, `${number}-next.sql`), migrationText(newest, table));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
