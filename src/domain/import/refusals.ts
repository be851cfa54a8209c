/** What an import refuses: a whole file, or one row of it. Neither ever repeats what stood there, which may be a secret. */

/** A file of which nothing can be read, in plain words. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}

/** A row that is left out; the others go on. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused';
  readonly reason: string;
  readonly field: string | undefined;
  constructor(reason: string, field?: string) {
    super(field === undefined ? reason : `${field}: ${reason}`);
    this.reason = reason;
    this.field = field;
  }
}

/** A line of the report: which line of the file was refused, and why. */
export interface Refusal {
  line: number;
  reason: string;
  field?: string | undefined;
  /** The app that a token names, which is a plain id. */
  clientId?: string | undefined;
}

/** Why a row cannot be taken beside what is known. */
export type Objection = Pick<Refusal, 'field' | 'reason'>;
