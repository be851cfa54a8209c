import type { CompiledQuery, DialectAdapter, Kysely, QueryResult } from 'kysely';

/** Stands for a value while its statement is built. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  /** The value is not known yet, so nothing may be computed from it. */
  [Symbol.toPrimitive](): never {
    throw new Error(`the value ${this.name} is not known while the statement is built`);
  }
}

const PLACEHOLDERS: unknown = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/**
 * A statement that is built once for each database and then runs with other values. To build a statement costs more than
 * SQLite takes to run it. `build` uses the values as they are: it decides nothing by them, and computes nothing from
 * them. A constant that the condition of an index speaks of is written with `sql.lit`: SQLite would plan the statement
 * anew at each execution, because the plan would depend on a parameter. So is the number of a `limit`, for the same
 * reason.
 */
export function builtOnce<Schema, Values extends object, Row>(
  build: (db: Kysely<Schema>, values: Values) => CompiledQuery<Row>,
): (db: Kysely<Schema>, values: Values) => Promise<QueryResult<Row>> {
  // A transaction has the adapter of its database.
  const built = new WeakMap<DialectAdapter, CompiledQuery<Row>>();
  return (db, values) => {
    const { adapter } = db.getExecutor();
    const query = built.get(adapter) ?? build(db, PLACEHOLDERS as Values);
    built.set(adapter, query);
    const parameters = query.parameters.map((one) =>
      one instanceof Placeholder ? values[one.name as keyof Values] : one,
    );
    // Written out: V8 gives each copy by a spread a shape of its own, and every later reader is slower for it.
    const { sql, query: node, queryId } = query;
    return db.executeQuery({ sql, query: node, queryId, parameters });
  };
}

/** Whether a statement changed exactly one row. */
export const changedOne = ({ numAffectedRows }: QueryResult<unknown>): boolean => numAffectedRows === 1n;
