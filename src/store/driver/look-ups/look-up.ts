/** A statement that finds at most one row for its parameters, for one call or for several calls together. */
export interface LookUp {
  /** For how many calls it is asked together at the most: a statement with long texts for fewer. */
  most: number;
  /** The text for one call, whose parameters are `$1`, `$2` … */
  one: string;
  /** The text for so many calls, whose parameters follow each other. Each row has the number of its call, from 0. */
  together(calls: number): string;
}

/** The column with the number of the call. */
export const CALL_NUMBER = 'call_number';

/** For how many calls any look-up is asked together at the most: their texts are in memory at one time. */
export const LARGEST_BATCH = 64;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/**
 * A look-up by so many parameters; `textOf` makes its text from their names. It uses each once and in their order where it can:
 * SQLite binds such parameters by their places, which is faster (`bindParameters`). Without `offset 0` PostgreSQL would plan all calls
 * as one join, by the sizes that the tables had when it planned: a plan from the time of an empty table reads whole tables
 * later. With it each call has the plan that it would have alone.
 */
export function lookUp(
  parameters: number,
  textOf: (names: string[]) => string,
  most = LARGEST_BATCH,
): LookUp {
  const columns = numbers(parameters).map((at) => `p${at}`);
  const valuesOf = (call: number) => columns.map((_, at) => `$${call * parameters + at + 1}::text`);
  return {
    most,
    one: textOf(columns.map((_, at) => `$${at + 1}`)),
    together(calls) {
      const rows = numbers(calls).map((call) => `(${[call, ...valuesOf(call)].join(', ')})`);
      const found = textOf(columns.map((column) => `asked.${column}`));
      return `select asked.number as ${CALL_NUMBER}, found.*
        from (values ${rows.join(', ')}) as asked(${['number', ...columns].join(', ')})
        cross join lateral (${found} offset 0) as found`;
    },
  };
}
