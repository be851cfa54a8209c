import type { Context, Origin } from '../context.ts';
import type { Refusal } from './refusals.ts';

/** What an import works with: who asked for it, and the time that it began. */
export interface Import {
  context: Context;
  origin: Origin;
  /** The apps that rows of this file have named so far, of the batches that are committed. */
  namedApps: ReadonlySet<string>;
}

/** What became of a row. */
export type Outcome = 'new' | 'known' | 'changed' | Refusal;
