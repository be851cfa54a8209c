import { paintFor, type Paint } from '../terminal/paint.ts';
import { printPaged } from '../terminal/pager.ts';
import { tableLines, type TerminalTable } from '../terminal/table.ts';

/** The answer of a command: lines for people, one object for programs. */
export interface Result {
  ok: boolean;
  lines: string[];
  /** The same on a terminal, where it is a list. Other readers get the lines, as they always did. */
  table?: TerminalTable;
  /** The lines in colour. */
  painted?: (paint: Paint) => string[];
  json: Record<string, unknown>;
}

/** How a person wants to read. */
interface ReaderWishes {
  asJson: boolean;
  hasColor: boolean;
  hasPager: boolean;
}

function linesFor({ lines, table, painted }: Result, paint: Paint): string[] {
  if (table && table.rows.length > 0 && process.stdout.isTTY) return tableLines(table, paint);
  return painted?.(paint) ?? lines;
}

/** Prints a result to standard output. */
export async function printResult(
  result: Result,
  { asJson, hasColor, hasPager }: ReaderWishes,
): Promise<void> {
  if (asJson) return void process.stdout.write(`${JSON.stringify(result.json)}\n`);
  const lines = linesFor(result, paintFor(process.stdout, hasColor));
  await printPaged(`${lines.join('\n')}\n`, hasPager);
}
