import { Sqlite } from '../../../src/shared/sqlite.ts';
import { scopes } from '../../../src/modern/scopes.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { DEMO, type GraphqlAnswer, graphql, obtainTokens, type Running } from './modern.ts';

export const BAKERY = '5e1f0c9a7b3d4e2f8a6c2d01';
export const RUNNERS = '5e1f0c9a7b3d4e2f8a6c2d02';
export const RECORDS = '5e1f0c9a7b3d4e2f8a6c2d03';

export type Ask = (query: string, variables?: object) => Promise<GraphqlAnswer>;

interface Options {
  browser?: CookieWalker;
  /** All nine unless said. */
  scope?: string;
}

/** A bearer for the main API. */
export async function bearerFor(base: string, person = DEMO, options: Options = {}): Promise<string> {
  const { scope = scopes.join(' '), ...browser } = options;
  const tokens = await obtainTokens({ base, person, parameters: { scope }, ...browser });
  return `Bearer ${tokens['access_token']}`;
}

/** Asks the main API for this bearer. */
export const asker =
  (base: string, bearer: string): Ask =>
  (query, variables) =>
    graphql(base, bearer, { query, variables });

/** Runs `action` while every write of `kind` into `table` fails in the database. */
export async function whileWritesFail<T>(
  { settings }: Running,
  [kind, table]: ['insert' | 'update' | 'delete', string],
  action: () => Promise<T>,
): Promise<T> {
  const db = new Sqlite(settings.databaseFile, { timeout: 5000 });
  db.exec(
    `create trigger broken before ${kind} on ${table} begin select raise(abort, 'the disk is gone'); end`,
  );
  try {
    return await action();
  } finally {
    db.exec('drop trigger broken');
    db.close();
  }
}
