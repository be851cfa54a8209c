import type { Database } from './database.ts';

export function createPosts(_db: Database) {
  return {};
}
