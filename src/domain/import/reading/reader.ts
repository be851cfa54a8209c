import type { Fields } from './fields.ts';
import type { Line } from './lines.ts';
import type { Refusal } from '../refusals.ts';

/** One row by the names of its fields, not yet checked; a file may hold any name. */
export interface Entry {
  line: number;
  fields: Fields;
}

/** Reads lines one after the other, and returns the entries that each line completes. */
export interface Reader {
  read(line: Line | Refusal): Array<Entry | Refusal>;
  /** The entries that are left at the end of the file. */
  end(): Array<Entry | Refusal>;
}
