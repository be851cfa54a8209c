import { CompiledQuery, type KyselyPlugin } from 'kysely';
import type { Database } from '../../../src/store/driver/store.ts';

/** A statement that is built once is compiled with something else in the place of its values, and runs later. */
const hasValues = ({ parameters }: CompiledQuery) =>
  parameters.every((value) => value === null || typeof value !== 'object' || Buffer.isBuffer(value));

/** A database whose statements are added to `sent`, whether they run when they are built or later. */
function watch(db: Database, sent: CompiledQuery[]): Database {
  const watched = db.withPlugin({
    transformQuery({ node, queryId }: Parameters<KyselyPlugin['transformQuery']>[0]) {
      const built = db.getExecutor().compileQuery(node, queryId);
      if (hasValues(built)) sent.push(built);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return Object.assign(watched, {
    executeQuery<Row>(query: CompiledQuery<Row>) {
      sent.push(query);
      return db.executeQuery(query);
    },
  });
}

/** How SQLite runs every statement that `work` sends, one line for each step of its plans. */
export async function plansOf(db: Database, work: (db: Database) => Promise<unknown>): Promise<string[]> {
  const sent: CompiledQuery[] = [];
  await work(watch(db, sent));
  const lines: string[] = [];
  for (const { sql, parameters } of sent) {
    const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await db.executeQuery<{ detail: string }>(explained);
    lines.push(...rows.map(({ detail }) => detail));
  }
  return lines;
}
