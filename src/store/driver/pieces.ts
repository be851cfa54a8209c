import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';

/** Removals of bounded size: on SQLite a statement blocks the whole process while the statement runs. */

interface TableSelection {
  table: string;
  /** The primary key. */
  key: string;
  /** The indexed column that orders the rows. */
  by: string;
  which: RawBuilder<SqlBool>;
}

/** The end of the piece before, and the maximal number of rows. */
export interface Piece {
  /** The value of the last row of the piece before; '' or 0 for the first piece. */
  after: string | number;
  limit: number;
}

/** The first piece of rows that are ordered by a number. */
export const FIRST_PIECE: Piece = { after: 0, limit: 500 };

/** The number of rows in a piece, and the end of the piece. */
export interface PieceResult {
  count: number;
  after: string | number;
}

const chosen = ({ table, key, by, which }: TableSelection, { after, limit }: Piece) => sql`
  where ${sql.ref(key)} in (select ${sql.ref(key)} from ${sql.table(table)}
    where ${which} and ${sql.ref(by)} >= ${after} order by ${sql.ref(by)} limit ${limit})`;

async function run<Tables>(
  db: Kysely<Tables>,
  statement: RawBuilder<unknown>,
  { after }: Piece,
): Promise<PieceResult> {
  const { rows } = await (statement as RawBuilder<{ at: string | number }>).execute(db);
  const last = rows.reduce((latest, { at }) => (at > latest ? at : latest), after);
  return { count: rows.length, after: last };
}

/** Removes one piece of the rows. */
export function deletePiece<Tables>(
  db: Kysely<Tables>,
  rows: TableSelection,
  piece: Piece,
): Promise<PieceResult> {
  const statement = sql`delete from ${sql.table(rows.table)} ${chosen(rows, piece)}
    returning ${sql.ref(rows.by)} as at`;
  return run(db, statement, piece);
}

/** Erases columns of one piece of the rows. `which` must leave out rows that are erased already. */
export function erasePiece<Tables>(
  db: Kysely<Tables>,
  rows: TableSelection & { columns: readonly string[] },
  piece: Piece,
): Promise<PieceResult> {
  const erased = sql.join(rows.columns.map((column) => sql`${sql.ref(column)} = null`));
  const statement = sql`update ${sql.table(rows.table)} set ${erased} ${chosen(rows, piece)}
    returning ${sql.ref(rows.by)} as at`;
  return run(db, statement, piece);
}
