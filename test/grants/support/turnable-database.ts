import pg from 'pg';
import { freshDatabase } from '../../support/database/database.ts';

/** A database whose address a test turns round to a copy of it, as a name server or a pooler would in a fail-over. */
export interface TurnableDatabase {
  url: string;
  /** Where the original is while the address leads to the copy, and where the copy is while it does not. */
  names: { home: string; copy: string; away: string };
  on<Row extends object>(name: string, statement: string): Promise<Row[]>;
  copy(): Promise<void>;
  toCopy(): Promise<void>;
  toOriginal(): Promise<void>;
  close(): Promise<void>;
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Makes one, with its database. */
export async function openTurnableDatabase(): Promise<TurnableDatabase> {
  const [original, aside] = [await freshDatabase(), await freshDatabase()];
  const home = nameOf(original.url);
  const names = { home, copy: `${home}_copy`, away: `${home}_away` };

  async function on<Row extends object>(name: string, statement: string): Promise<Row[]> {
    const address = new URL(aside.url);
    address.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  const onServer = (statement: string) => on(nameOf(aside.url), statement);

  /** Nobody can connect meanwhile: neither a template nor a database that gets another name may have a session. */
  async function withoutSessions(name: string, work: () => Promise<string>): Promise<void> {
    await onServer(`alter database ${name} allow_connections false`);
    await onServer(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    const after = await work();
    await onServer(`alter database ${after} allow_connections true`);
  }

  /** From then on the address leads to the database `to`. The one that it led to is called `from`. */
  const turnAround = (from: string, to: string) =>
    withoutSessions(home, async () => {
      await onServer(`alter database ${home} rename to ${from}`);
      await onServer(`alter database ${to} rename to ${home}`);
      return from;
    });

  return {
    url: original.url,
    names,
    on,
    copy: () =>
      withoutSessions(home, async () => {
        await onServer(`create database ${names.copy} template ${home}`);
        return home;
      }),
    toCopy: () => turnAround(names.away, names.copy),
    toOriginal: () => turnAround(names.copy, names.away),
    async close() {
      for (const name of [names.copy, names.away])
        await onServer(`drop database if exists ${name} with (force)`);
      await original.drop();
      await aside.drop();
    },
  };
}
