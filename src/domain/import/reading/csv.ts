import { parse } from 'csv-parse/sync';
import { LINE_BYTES_MAX, type ImportLine } from './lines.ts';
import type { ImportEntry, EntryReader } from './reader.ts';
import { ImportRefused, type RowRefusal } from '../refusals.ts';

/**
 * Reads CSV with a header (RFC 4180). A quote that is never closed would swallow the rest of the file. The line that
 * opened the quote is refused, and the lines after it are read as if the refused line were absent.
 */

function isQuoteOpen(lines: readonly ImportLine[]): boolean {
  let quotes = 0;
  for (const { text } of lines) {
    for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes += 1;
  }
  return quotes % 2 === 1;
}

/** The cells of a record; undefined when its quotes are not valid CSV. */
function cellsOf(lines: readonly ImportLine[]): string[] | undefined {
  const text = lines.map((line) => line.text).join('\n');
  if (!text.includes('"')) return text.split(',');
  try {
    const records: string[][] = parse(text, { relax_column_count: true });
    return records.length === 1 ? records[0] : undefined;
  } catch {
    return undefined;
  }
}

/** @throws {ImportRefused} the header has no column `type`, or names a column twice */
function columnsOf(cells: readonly string[] | undefined): string[] {
  const columns = cells?.map((cell) => cell.trim()) ?? [];
  if (!columns.includes('type'))
    throw new ImportRefused(
      'is neither NDJSON nor CSV whose first line names its columns, "type" among them',
    );
  if (new Set(columns).size < columns.length)
    throw new ImportRefused('is CSV whose first line names a column twice');
  return columns;
}

/** An empty cell counts as an absent field. */
function recordOf(
  lines: readonly ImportLine[],
  columns: readonly string[],
  cells: readonly string[],
): ImportEntry {
  const fields = new Map<string, unknown>();
  for (const [index, cell] of cells.entries()) {
    if (cell !== '') fields.set(columns[index] ?? '', cell);
  }
  const [first, last] = [lines[0], lines.at(-1)];
  return { line: first?.line ?? 0, fields, unendedLine: last?.isCut === true ? last.line : undefined };
}

class CsvReader implements EntryReader {
  #columns: string[] | undefined;
  /** The lines of a record whose quote is open. */
  #open: ImportLine[] = [];
  #openLength = 0;

  read(line: ImportLine | RowRefusal): Array<ImportEntry | RowRefusal> {
    if (!('text' in line)) return [...this.end(), line];
    if (this.#open.length === 0 && line.text.trim() === '') return [];
    this.#open.push(line);
    this.#openLength += line.text.length;
    if (this.#openLength > LINE_BYTES_MAX) return this.#giveUp('a quote is never closed');
    const isEven = !line.text.includes('"') ? this.#open.length === 1 : !isQuoteOpen(this.#open);
    return isEven ? this.#close() : [];
  }

  end(): Array<ImportEntry | RowRefusal> {
    const found: Array<ImportEntry | RowRefusal> = [];
    while (this.#open.length > 0) {
      const isCut = this.#open.length === 1 && this.#open[0]?.isCut === true;
      found.push(...this.#giveUp(isCut ? 'the last line is cut off' : 'a quote is never closed'));
    }
    return found;
  }

  #take(): ImportLine[] {
    const lines = this.#open;
    this.#open = [];
    this.#openLength = 0;
    return lines;
  }

  #close(): Array<ImportEntry | RowRefusal> {
    const [first] = this.#open;
    if (!first) return [];
    const cells = cellsOf(this.#open);
    if (!this.#columns) {
      this.#columns = columnsOf(cells);
      this.#take();
      return [];
    }
    if (cells?.length !== this.#columns.length) return this.#giveUp(this.#problemOf(cells, first));
    return [recordOf(this.#take(), this.#columns, cells)];
  }

  #problemOf(cells: readonly string[] | undefined, { isCut }: ImportLine): string {
    if (isCut && (cells?.length ?? 0) < (this.#columns?.length ?? 0)) return 'the last line is cut off';
    return cells ? 'not as many columns as the first line names' : 'its quotes are not as CSV has them';
  }

  /** Refuses the first of the open lines, and reads the other lines again: they may be whole without the first line. */
  #giveUp(reason: string): Array<ImportEntry | RowRefusal> {
    const [first, ...others] = this.#take();
    if (!first) return [];
    if (!this.#columns) columnsOf(undefined);
    return [{ line: first.line, reason }, ...others.flatMap((line) => this.read(line))];
  }
}

/** Reads the header first, then a record for each row. */
export function createCsvReader(): EntryReader {
  return new CsvReader();
}
