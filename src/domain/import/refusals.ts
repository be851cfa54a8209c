import { Refusal } from '../../shared/refusals/refusal.ts';

/**
 * What an import refuses: a whole file, or one row. A refusal never repeats the content of the file, which may be a
 * secret.
 */

/** A file that cannot be imported; the message says why, in plain words. */
export class ImportRefused extends Refusal {}

/** The refusal of a file with the file's name in its reason; every other error as it is. */
export function namingFile(error: unknown, file: string): unknown {
  return error instanceof ImportRefused ? new ImportRefused(`${file} ${error.message}`) : error;
}

/** A row that is left out; the import goes on with the other rows. */
export class RowRefused extends Refusal {
  readonly reason: string;
  readonly field: string | undefined;
  constructor(reason: string, field?: string) {
    super(field === undefined ? reason : `${field}: ${reason}`);
    this.reason = reason;
    this.field = field;
  }
}

/** A line of the report: which line of the file was refused, and why. */
export interface RowRefusal {
  line: number;
  reason: string;
  field?: string | undefined;
  /** The app that the row names. A client id is not secret. */
  clientId?: string | undefined;
}

/** Why a row contradicts the known data. */
export type Objection = Pick<RowRefusal, 'field' | 'reason'>;
