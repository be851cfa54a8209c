import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { requirePostgresRing } from '../jest/test-mode.ts';

export interface TestDatabase {
  url: string;
  /** Removes it, whoever is connected. */
  drop(): Promise<void>;
}

/** The server of this run: a given one, else the one that the global set-up starts when it is first asked for. */
export async function serverUrl(): Promise<string> {
  requirePostgresRing();
  const { TEST_DATABASE_URL: given, TEST_POSTGRES_ON_DEMAND: starter } = process.env;
  if (given) return given;
  if (!starter) throw new Error('the global set-up of the tests did not run');
  const answer = await fetch(starter);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** How a database compares texts: byte by byte, or as a language does. */
export type Collation = 'C' | 'en-US' | 'und';

const madeWith = (collation: Collation) =>
  collation === 'C' ? '' : ` template template0 locale_provider icu icu_locale '${collation}' locale 'C'`;

/** Makes a database of this name; `how` is the rest of the statement. */
export async function createDatabase(server: string, name: string, how = ''): Promise<TestDatabase> {
  await run(server, `create database ${name}${how}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(server, `drop database ${name} with (force)`) };
}

export const newName = (): string => `t_${randomBytes(6).toString('hex')}`;

/** An empty database that nobody else uses, on the PostgreSQL of this run. */
export async function freshDatabase(collation: Collation = 'C'): Promise<TestDatabase> {
  return createDatabase(await serverUrl(), newName(), madeWith(collation));
}
