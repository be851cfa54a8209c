import { Sqlite } from '../../../src/shared/sqlite.ts';
import type { ModernSettings } from '../../../src/modern/settings.ts';
import { type Running, runModern } from './modern.ts';

/** The modern generation that the tests of a file call, and its address. */

export let modern: Running;
export let base: string;

async function start(overrides?: Partial<ModernSettings>): Promise<void> {
  modern = await runModern(overrides);
  base = modern.server.url;
}

/** One for all tests of a file. */
export function withModern(overrides?: Partial<ModernSettings>): void {
  beforeAll(() => start(overrides));
  afterAll(() => modern.stop());
}

/** One for each test. */
export function withModernPerTest(overrides?: Partial<ModernSettings>): void {
  beforeEach(() => start(overrides));
  afterEach(() => modern.stop());
}

/** Reads and writes the database beside the running server. */
export function rows<T>(use: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(modern.settings.databaseFile);
  db.pragma('foreign_keys = on');
  try {
    return use(db);
  } finally {
    db.close();
  }
}
