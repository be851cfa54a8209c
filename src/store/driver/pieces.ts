import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';

/** Removals of bounded size: on SQLite a statement holds up the whole process while it runs. */

interface Rows {
  table: string;
  /** The primary key. */
  key: string;
  /** The column in whose order the rows go, one with an index. */
  by: string;
  which: RawBuilder<SqlBool>;
}

/** Where one piece ended, and how many rows it may have. */
export interface Piece {
  /** The value of the last row of the piece before; '' or 0 for the first one. */
  after: string | number;
  limit: number;
}

/** The first piece of rows that go in the order of a number. */
export const FIRST_PIECE: Piece = { after: 0, limit: 500 };

/** How many rows a piece had, and where it ended. */
export interface PieceDone {
  count: number;
  after: string | number;
}

const chosen = ({ table, key, by, which }: Rows, { after, limit }: Piece) => sql`
  where ${sql.ref(key)} in (select ${sql.ref(key)} from ${sql.table(table)}
    where ${which} and ${sql.ref(by)} >= ${after} order by ${sql.ref(by)} limit ${limit})`;

async function run<Tables>(
  db: Kysely<Tables>,
  statement: RawBuilder<unknown>,
  { after }: Piece,
): Promise<PieceDone> {
  const { rows } = await (statement as RawBuilder<{ at: string | number }>).execute(db);
  const last = rows.reduce((latest, { at }) => (at > latest ? at : latest), after);
  return { count: rows.length, after: last };
}

/** Removes one piece of the rows. */
export function deletePiece<Tables>(db: Kysely<Tables>, rows: Rows, piece: Piece): Promise<PieceDone> {
  const statement = sql`delete from ${sql.table(rows.table)} ${chosen(rows, piece)}
    returning ${sql.ref(rows.by)} as at`;
  return run(db, statement, piece);
}

/** Erases columns of one piece of the rows; `which` leaves out rows whose columns are erased. */
export function erasePiece<Tables>(
  db: Kysely<Tables>,
  rows: Rows & { columns: readonly string[] },
  piece: Piece,
): Promise<PieceDone> {
  const erased = sql.join(rows.columns.map((column) => sql`${sql.ref(column)} = null`));
  const statement = sql`update ${sql.table(rows.table)} set ${erased} ${chosen(rows, piece)}
    returning ${sql.ref(rows.by)} as at`;
  return run(db, statement, piece);
}
