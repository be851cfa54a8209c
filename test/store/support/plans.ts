import { CompiledQuery, type KyselyPlugin } from 'kysely';
import type { Database } from '../../../src/store/driver/store.ts';

/** How SQLite runs every statement that `work` sends, one line for each step of its plans. */
export async function plansOf(db: Database, work: (db: Database) => Promise<unknown>): Promise<string[]> {
  const sent: Array<Parameters<KyselyPlugin['transformQuery']>[0]> = [];
  const watched = db.withPlugin({
    transformQuery(query) {
      sent.push(query);
      return query.node;
    },
    transformResult: async ({ result }) => result,
  });
  await work(watched);
  const lines: string[] = [];
  for (const { node, queryId } of sent) {
    const { sql, parameters } = db.getExecutor().compileQuery(node, queryId);
    const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await db.executeQuery<{ detail: string }>(explained);
    lines.push(...rows.map(({ detail }) => detail));
  }
  return lines;
}
