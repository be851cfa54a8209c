import type { ImportFields } from './fields.ts';
import type { ImportLine } from './lines.ts';
import type { RowRefusal } from '../refusals.ts';

/** One row by the names of its fields, not yet checked; a file may hold any name. */
export interface ImportEntry {
  line: number;
  fields: ImportFields;
  /** The last line of the file, where the row ends with it and no line end follows: the row may have been cut in its last cell. */
  unendedLine?: number | undefined;
}

/** Reads lines one after the other, and returns the entries that each line completes. */
export interface EntryReader {
  read(line: ImportLine | RowRefusal): Array<ImportEntry | RowRefusal>;
  /** The entries that are left at the end of the file. */
  end(): Array<ImportEntry | RowRefusal>;
}
