import type { Refusal } from './refusals.ts';

/** How many rows were refused for one reason in one field, and the first of their lines. */
export interface RefusalCount {
  /** Null where a line as a whole is wrong. */
  field: string | null;
  reason: string;
  count: number;
  lines: number[];
}

const LINES_MAX = 5;

/** The lowest lines, whatever order they come in: pairs are written before apps, and tokens last. */
function withLine(lines: number[], line: number): number[] {
  return [...lines, line].toSorted((a, b) => a - b).slice(0, LINES_MAX);
}

/** Counts refusals by field and reason. Both are words of ours and never of the file, so there are few of them. */
export function createRefusalCounts() {
  const counts = new Map<string, RefusalCount>();
  return {
    add({ field: name, reason, line }: Refusal): void {
      const field = name ?? null;
      const key = JSON.stringify([field, reason]);
      const known = counts.get(key) ?? { field, reason, count: 0, lines: [] };
      counts.set(key, { ...known, count: known.count + 1, lines: withLine(known.lines, line) });
    },
    /** The most frequent first. */
    list: (): RefusalCount[] =>
      [...counts.values()].toSorted((a, b) => b.count - a.count || (a.lines[0] ?? 0) - (b.lines[0] ?? 0)),
  };
}
