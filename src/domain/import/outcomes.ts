import type { Origin } from '../origin.ts';
import type { ImportDeps } from './deps.ts';
import type { RowRefusal } from './refusals.ts';

/** The context of an import, who asked for the import, and the apps named so far. */
export interface ImportContext {
  context: ImportDeps;
  origin: Origin;
  /** Whether a key of the staff API asks: some rows it leaves to the command (`writing/key-limits.ts`). */
  isByKey: boolean;
  /** The apps that the committed batches of this file have named so far. */
  namedApps: ReadonlySet<string>;
}

/** The outcome of a row. */
export type RowOutcome = 'new' | 'known' | 'changed' | RowRefusal;
