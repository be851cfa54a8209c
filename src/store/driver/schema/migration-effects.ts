/**
 * What a migration does, as its statements say: whether it only adds to the schema, or also changes rows and tables
 * that exist. A statement of a form that is not known here counts as a change.
 */

/** The effects of one migration. */
export interface MigrationEffects {
  /** What is added, such as `column of events`, each once. */
  adds: string[];
  /** What is changed or removed, such as `update mappings`, each once. Empty for a migration that only adds. */
  changes: string[];
  /** The tables from before the migration that its statements name as their subject. */
  tables: string[];
}

const COMMENT_OR_TEXT = /--[^\n]*|'(?:[^']|'')*'|\$\$[\s\S]*?\$\$/g;

/** The statements of a file, without comments. Texts are emptied, since a text may hold a semicolon. */
function statementsOf(sql: string): string[] {
  const bare = sql.replaceAll(COMMENT_OR_TEXT, (part) => (part.startsWith('--') ? '' : "''"));
  const statements: string[] = [];
  let isInTrigger = false;
  for (const part of bare.split(';').map((piece) => piece.replaceAll(/\s+/g, ' ').trim())) {
    if (isInTrigger) isInTrigger = !/^end\b/i.test(part);
    else if (part !== '') {
      statements.push(part);
      // PostgreSQL names a function. SQLite has the statements of the trigger between `begin` and `end`.
      isInTrigger = /^create trigger .* begin /i.test(part);
    }
  }
  return statements;
}

type EffectForm = [
  form: RegExp,
  kind: 'table' | 'add' | 'insert' | 'change',
  text: (table: string) => string,
];

/** The known forms. The first group is the table. */
const FORMS: readonly EffectForm[] = [
  [/^create (?:unlogged |virtual )?table (\w+)/i, 'table', (table) => `table ${table}`],
  [/^create (?:unique )?index \w+ on (\w+)/i, 'add', (table) => `index on ${table}`],
  [/^create trigger .*? on (\w+)/i, 'add', (table) => `trigger on ${table}`],
  [/^create function \w+/i, 'add', () => 'function'],
  [/^alter table (\w+) add column /i, 'add', (table) => `column of ${table}`],
  [/^insert into (\w+)/i, 'insert', (table) => `insert into ${table}`],
  [/^update (\w+)/i, 'change', (table) => `update ${table}`],
  [/^delete from (\w+)/i, 'change', (table) => `delete from ${table}`],
  [/^drop table (\w+)/i, 'change', (table) => `drop table ${table}`],
  [/^alter table (\w+)/i, 'change', (table) => `alter table ${table}`],
];

/** An unknown form is told by its first words. */
const FIRST_WORDS = 6;

/** What one statement does. */
interface StatementEffect {
  kind: EffectForm[1];
  /** Empty where the form is not known or names no table. */
  table: string;
  words: string;
}

const IN_BRACKETS = /\([^()]*\)/g;

/** The clauses of an `alter table`. A comma in brackets belongs to its clause. */
function clausesOf(statement: string): string[] {
  let bare = statement.replace(/^alter table \w+/i, '');
  for (let before = ''; before !== bare; ) [before, bare] = [bare, bare.replaceAll(IN_BRACKETS, '')];
  return bare.split(',').map((clause) => clause.trim());
}

/** PostgreSQL takes several clauses in one statement. It only adds where each of them does. */
const addsAlone = (statement: string): boolean =>
  !/^alter table /i.test(statement) || clausesOf(statement).every((clause) => /^add column /i.test(clause));

function effectOfStatement(statement: string): StatementEffect {
  for (const [form, kind, text] of FORMS) {
    const found = form.exec(statement);
    if (found && (kind !== 'add' || addsAlone(statement)))
      return { kind, table: found[1] ?? '', words: text(found[1] ?? '') };
  }
  return { kind: 'change', table: '', words: statement.split(' ').slice(0, FIRST_WORDS).join(' ') };
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

const isAddition = ({ kind }: StatementEffect): boolean => kind === 'table' || kind === 'add';

/** Reads what the statements of a migration do. */
export function effectsOf(sql: string): MigrationEffects {
  const effects = statementsOf(sql).map(effectOfStatement);
  const made = new Set(effects.flatMap(({ kind, table }) => (kind === 'table' ? table : [])));
  // Rows of a table that the migration makes are part of the new table.
  const outside = effects.filter(({ kind, table }) => kind !== 'insert' || !made.has(table));
  return {
    adds: distinct(outside.filter(isAddition).map(({ words }) => words)),
    changes: distinct(outside.filter((one) => !isAddition(one)).map(({ words }) => words)),
    tables: distinct(outside.map(({ table }) => table)).filter((table) => table !== '' && !made.has(table)),
  };
}
