import { printable } from '../commands/dates/moment-option.ts';
import type { Paint } from './paint.ts';

/** A list for a person at a terminal: a head, and a line for each thing. */
export interface TerminalTable {
  head: readonly string[];
  rows: ReadonlyArray<readonly string[]>;
  /** What is said below it. */
  notes?: readonly string[];
}

const characters = new Intl.Segmenter();

const widthOf = (text: string) => [...characters.segment(text)].length;

/** The lines of a table, each column as wide as its longest cell. The last column ends where its text ends. */
export function tableLines({ head, rows, notes = [] }: TerminalTable, paint: Paint): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = head.map((name, at) =>
    Math.max(widthOf(name), ...cells.map((row) => widthOf(row[at] ?? ''))),
  );
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd();
  return [paint('bold', lineOf(head)), ...cells.map(lineOf), ...notes];
}
