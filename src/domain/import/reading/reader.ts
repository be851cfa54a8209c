import type { Fields } from './fields.ts';
import type { Line } from './lines.ts';
import type { Refusal } from '../refusals.ts';

/** One row by the names of its fields, before anything in it is believed; any name may stand in a file. */
export interface Entry {
  line: number;
  fields: Fields;
}

/** Reads lines one after the other; what a line completes comes out of it. */
export interface Reader {
  read(line: Line | Refusal): Array<Entry | Refusal>;
  /** What is left at the end of the file. */
  end(): Array<Entry | Refusal>;
}
