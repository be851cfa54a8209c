import type { Database } from './database.ts';

export function createSnippets(_db: Database) {
  return {};
}
