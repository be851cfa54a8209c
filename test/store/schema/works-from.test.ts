import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { effectsOf } from '../../../src/store/driver/schema/migration-effects.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { declaredIn, isUsable, type SchemaStep } from '../../../src/store/driver/schema/works-from.ts';

/** A version works with a newer schema where every newer migration declared it, and with no other. */

const step = (number: number, works_from: number | null): SchemaStep => ({ number, works_from });

test.each<[what: string, present: number, steps: SchemaStep[], usable: boolean]>([
  ['an older one', 27, [], true],
  ['its own', 28, [step(28, 28)], true],
  ['one that only added', 29, [step(28, 28), step(29, 28)], true],
  ['two that only added', 30, [step(29, 28), step(30, 20)], true],
  ['one that contracted', 29, [step(28, 28), step(29, 29)], false],
  ['one that contracted before one that only added', 30, [step(29, 29), step(30, 28)], false],
  ['one that declared nothing', 29, [step(28, 28), step(29, null)], false],
  ['one of which the database tells nothing', 30, [step(28, 28), step(29, 28)], false],
  ['a number alone', 29, [], false],
])('schema 28 and %s', (_what, present, steps, usable) => {
  expect(isUsable(present, 28, steps)).toBe(usable);
});

/** Where declarations begin. */
const FIRST = { postgres: 28, sqlite: 24, 'sqlite-volatile': 16 } as const;
const folders = Object.keys(FIRST) as Array<keyof typeof FIRST>;

interface Declared {
  name: string;
  number: number;
  sql: string;
  from: number | undefined;
}

const declaredOf = (folder: keyof typeof FIRST): Declared[] =>
  migrationFiles(folder)
    .filter(({ number }) => number >= FIRST[folder])
    .map(({ number, path }) => {
      const sql = readFileSync(path, 'utf8');
      return { name: `${folder}/${basename(path)}`, number, sql, from: declaredIn(sql) };
    });

test.each(folders)('each migration of %s declares from which schema on programs work', (folder) => {
  const declared = declaredOf(folder);
  expect(declared.length).toBeGreaterThan(0);
  for (const { name, number, from = Infinity } of declared) {
    expect({ name, isOwnOrOlder: from <= number }).toEqual({ name, isOwnOrOlder: true });
    expect({ name, knowsDeclarations: from >= FIRST[folder] }).toEqual({ name, knowsDeclarations: true });
  }
});

/** What an older program trips over although the statement only adds: a value that it does not write, or a new rule. */
const TRAPS = [
  /alter table \w+ add column (?![^;]*default)[^;]*not null/i,
  /create unique index \w+ on (\w+)/i,
  /create trigger .* on (\w+)/i,
];

const makes = (sql: string, table: string | undefined) =>
  table !== undefined && new RegExp(`create (unlogged )?table ${table} `, 'i').test(sql);

/** Triggers and rules that an older program does not notice, and why. `npm run upgrade-trial` runs an older version with them. */
const HARMLESS: Readonly<Record<string, string>> = {
  'tables-at-size.sql': 'they write what support searches by to a table of its own, and refuse nothing',
  'lists-at-size.sql':
    'they count the names under which tokens wait, in a table of their own, and refuse nothing',
  'told-lists.sql': 'they drop texts of which only a newer program knows, and refuse nothing',
  'told-users.sql': 'they drop texts of which only a newer program knows, and refuse nothing',
  'days-told-again.sql': 'the rule of the index allows what the one before it allowed, and more',
  'waiting-names-at-once.sql': 'they write the same in the same tables, once for each statement',
};

/** What a migration takes away because it makes something of the same work: no program names a trigger, its function or an index. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  'postgres/038-waiting-names-at-once.sql': [
    'drop trigger waiting_names_added on mappings',
    'drop trigger waiting_names_changed on mappings',
    'drop function count_waiting_names()',
    'drop trigger people_of_pinned on mappings',
    'drop function people_of_pinned()',
  ],
  'postgres/044-shares-by-address.sql': ['drop index app_contacts_unproven'],
  'postgres/045-turns-by-index.sql': ['drop index grants_put_off'],
  'sqlite/037-shares-by-address.sql': ['drop index app_contacts_unproven'],
  'sqlite/038-turns-by-index.sql': ['drop index grants_put_off'],
  'postgres/046-days-told-again.sql': ['drop index reminders_once'],
  'sqlite/039-days-told-again.sql': ['drop index reminders_once'],
  'sqlite/040-tokens-of-accounts.sql': ['drop index mappings_by_account'],
};

function trapsIn(sql: string): string[] {
  return TRAPS.flatMap((trap) => {
    const found = trap.exec(sql);
    return found && !makes(sql, found[1]) ? [found[0]] : [];
  });
}

test('what an older program trips over is seen', () => {
  expect(trapsIn('alter table b add column c text not null;')).toHaveLength(1);
  expect(trapsIn("alter table b add column c text not null default '';")).toEqual([]);
  expect(trapsIn('create unique index i on b (c);')).toHaveLength(1);
  expect(trapsIn('create table b (c text);\ncreate unique index i on b (c);')).toEqual([]);
  expect(trapsIn('create trigger t after delete on b begin delete from a; end;')).toHaveLength(1);
});

/** The last schema of SQLite with programs that read the values of a token by their places (CHANGELOG.md). */
const TOKENS_BY_PLACE = 40;

test('no migration of sqlite adds a column to the tokens beside programs that read them by place', () => {
  for (const { name, sql, from = 0 } of declaredOf('sqlite')) {
    const isSafe = from > TOKENS_BY_PLACE || !/alter table mappings add column/i.test(sql);
    expect({ name, isSafe }).toEqual({ name, isSafe: true });
  }
});

test.each(folders)('a migration of %s that lets older programs go on only adds, without a trap', (folder) => {
  for (const { name, number, sql, from } of declaredOf(folder)) {
    if (from === number) continue;
    const isKnown = Object.keys(HARMLESS).some((file) => name.endsWith(file));
    const traps = trapsIn(sql).filter((trap) => !(isKnown && /trigger|unique/i.test(trap)));
    expect({ name, changes: effectsOf(sql).changes, traps }).toEqual({
      name,
      changes: REPLACED[name] ?? [],
      traps: [],
    });
  }
});
