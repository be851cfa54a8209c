import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingNames } from '../../src/config/environment.ts';
import { projectRoot } from '../../src/shared/project-root.ts';
import { HELD, readDocument } from '../support/guidance.ts';

const firstCells = (text: string) => [...text.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1]);

test('the settings table names every setting that is read, and no other', () => {
  expect(new Set(firstCells(readDocument(HELD.settings)))).toEqual(new Set(settingNames));
});

test('every table of the migrations is described in db/SCHEMA.md', () => {
  const schema = readFileSync(join(projectRoot, 'db', 'SCHEMA.md'), 'utf8');
  const statements = ['sqlite', 'sqlite-volatile', 'modern'].flatMap((folder) =>
    readdirSync(join(projectRoot, 'db', folder)).map((file) =>
      readFileSync(join(projectRoot, 'db', folder, file), 'utf8'),
    ),
  );
  const named = (pattern: RegExp) =>
    [...statements.join('\n').matchAll(pattern)].map((match) => String(match[1]));
  const anew = named(/^alter table \w+ rename to (\w+)/gm);
  const gone = [...named(/^drop table (\w+)/gm), ...named(/^alter table (\w+) rename/gm)];
  const isGone = (table: string) => gone.includes(table) && !anew.includes(table);
  const tables = named(/^create table (\w+)/gm).filter((table) => !isGone(table));
  expect(tables.length).toBeGreaterThan(5);
  expect(tables.filter((table) => !schema.includes(`| \`${table}\``))).toEqual([]);
});
