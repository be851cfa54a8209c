import { RowRefused } from '../refusals.ts';
import { type ImportFields, readSecret } from './fields.ts';
import type { ImportEntry } from './reader.ts';
import { rowTypeOf } from './rows.ts';

/**
 * Tokens that somebody could guess. That is no reason to refuse a row: a program uses the token, and would break without
 * it. A row that is refused for another reason is counted too.
 */

/** How many tokens of an import are weak, with the first lines that have one. */
export interface WeakTokens {
  count: number;
  lines: number[];
}

/** Fewer bits than this are too few, beside the brake on wrong tokens. */
const BITS_MIN = 64;

const LINES_MAX = 5;

/**
 * Whether a token is too short, or has too few different characters for its length. A token that is long and mixed counts
 * as strong, whatever order its characters have.
 */
export function isWeakToken(token: string): boolean {
  const random = token.replace(/^1\//, '');
  return random.length * Math.log2(new Set(random).size) < BITS_MIN;
}

/** The token of a row as it was handed out; null where the row has none that a program could use. */
function tokenIn(fields: ImportFields): string | null {
  if (rowTypeOf(fields) !== 'token') return null;
  try {
    return readSecret(fields, 'access_token');
  } catch (error) {
    if (!(error instanceof RowRefused)) throw error;
    return null;
  }
}

/**
 * Counts the weak tokens of the rows that it is told of, before their other fields are read. Of a token that came as
 * SHA-256 nobody knows.
 */
export function createWeakTokens(): WeakTokens & { note(entry: ImportEntry): void } {
  return {
    count: 0,
    lines: [],
    note({ line, fields }) {
      const token = tokenIn(fields);
      if (token === null || !isWeakToken(token)) return;
      this.count += 1;
      if (this.lines.length < LINES_MAX) this.lines.push(line);
    },
  };
}
