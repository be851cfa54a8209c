import type { RowRefusal } from './refusals.ts';

/** How many rows were refused for one reason in one field, with the lowest line numbers. */
export interface RefusalCount {
  /** Null when the line as a whole is wrong. */
  field: string | null;
  reason: string;
  count: number;
  lines: number[];
}

const LINES_MAX = 5;

/**
 * Keeps the lowest line numbers. Rows are not written in the order of lines: pairs come first, and tokens last.
 */
function withLine(lines: number[], line: number): number[] {
  return [...lines, line].toSorted((a, b) => a - b).slice(0, LINES_MAX);
}

/**
 * Counts refusals by field and reason. Both are fixed words of the bridge and never text of the file, so there are few
 * combinations.
 */
export function createRefusalCounts() {
  const counts = new Map<string, RefusalCount>();
  return {
    add({ field: name, reason, line }: RowRefusal): void {
      const field = name ?? null;
      const key = JSON.stringify([field, reason]);
      const known = counts.get(key) ?? { field, reason, count: 0, lines: [] };
      counts.set(key, { ...known, count: known.count + 1, lines: withLine(known.lines, line) });
    },
    /** The most frequent refusal first. */
    list: (): RefusalCount[] =>
      [...counts.values()].toSorted((a, b) => b.count - a.count || (a.lines[0] ?? 0) - (b.lines[0] ?? 0)),
  };
}
