import type { Database } from './database.ts';

export function createIdeas(_db: Database) {
  return {};
}
