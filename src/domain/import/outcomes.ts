import type { Origin } from '../origin.ts';
import type { ImportDeps } from './deps.ts';
import type { RowRefusal } from './refusals.ts';

/** The context of an import, who asked for the import, and the apps named so far. */
export interface ImportContext {
  context: ImportDeps;
  origin: Origin;
  /** Whether a known app gets no new callback. */
  keepsCallbacks: boolean;
  /** The apps that the committed batches of this file have named so far. */
  namedApps: ReadonlySet<string>;
}

/** The outcome of a row. */
export type RowOutcome = 'new' | 'known' | 'changed' | RowRefusal;
