import type { ImportResult } from '../../../../domain/import/reading/import-file.ts';
import { HIDDEN_MAX } from '../../../../domain/import/reading/unknown-fields.ts';
import type { RefusalCount } from '../../../../domain/import/refusal-counts.ts';

/** The text at the end of `tokens import`. */

const KINDS_MAX = 20;

const SHOWN_LATER =
  'The tokens could not be counted for the pages. The rows are imported; the pages show the import within an hour.';

function placesOf({ count, lines }: Pick<RefusalCount, 'count' | 'lines'>): string {
  const more = count > lines.length ? ', …' : '';
  return `${count === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`;
}

function lineOf(refusal: RefusalCount): string {
  const { field, reason, count } = refusal;
  return `    ${count} refused: ${field === null ? '' : `${field}: `}${reason} (${placesOf(refusal)})`;
}

function linesOfRefusals(refusals: readonly RefusalCount[]): string[] {
  const others = refusals.slice(KINDS_MAX);
  const rows = others.reduce((sum, { count }) => sum + count, 0);
  const kinds = others.length === 1 ? 'another reason' : `${others.length} other reasons`;
  return [
    ...refusals.slice(0, KINDS_MAX).map(lineOf),
    ...(others.length > 0 ? [`    ${rows} refused for ${kinds}`] : []),
  ];
}

/** Whether more rows were refused than `--max-refused` allows. */
export function isOver({ refused }: ImportResult, maxRefused: number | undefined): boolean {
  return maxRefused !== undefined && refused > maxRefused;
}

interface ImportOptions {
  isDryRun: boolean;
  maxRefused: number | undefined;
}

function headOf(imported: ImportResult, { isDryRun, maxRefused }: ImportOptions): string[] {
  const { refused, known, changed, written } = imported;
  const counts = `${imported.new} new, ${known} known, ${changed} changed, ${refused} refused`;
  const over = `more rows than --max-refused ${maxRefused} allows`;
  if (isDryRun) {
    const said = `This was a dry run. Nothing was changed. The import would give: ${counts}.`;
    return isOver(imported, maxRefused) ? [said, `Too many rows would be refused: ${over}.`] : [said];
  }
  if (!written) return [`Nothing was changed: ${over} would be refused. The import would give: ${counts}.`];
  if (!isOver(imported, maxRefused)) return [`${counts}.`];
  // The trial run before the import was within the limit, so the two runs judged differently.
  return [
    `${counts}.`,
    `More rows were refused than in the trial before the import: ${over}. The other rows were imported.`,
  ];
}

function fieldLines({ unknownFields, hiddenFields }: ImportResult): string[] {
  const least = hiddenFields >= HIDDEN_MAX ? 'at least ' : '';
  const others = `${least}${hiddenFields} ${hiddenFields === 1 ? 'field whose name is' : 'fields whose names are'} not shown`;
  const named = [...unknownFields, ...(hiddenFields > 0 ? [others] : [])];
  return named.length > 0 ? [`Unknown fields, ignored: ${named.join(', ')}`] : [];
}

/** A cut in the last cell of CSV cannot be told from the end of the row. */
function endLines({ unendedLine }: ImportResult): string[] {
  if (unendedLine === null) return [];
  return [`The file ends without a line end: look whether its last line (${unendedLine}) is whole.`];
}

/** A weak token is no reason to refuse its row, and a row that is refused may have one. Its hint would reveal a short one, so only its line is named. */
function weakLines({ weakTokens }: ImportResult): string[] {
  const { count } = weakTokens;
  if (count === 0) return [];
  const what =
    count === 1 ? '1 token is short or easy to guess' : `${count} tokens are short or easy to guess`;
  return [`${what}, which is no reason to refuse a row: ${placesOf(weakTokens)}.`];
}

/** The counts of an import, the reasons of refused rows, and the file that names each refused row. */
export function summaryOf(imported: ImportResult, asked: ImportOptions): string[] {
  const { refusals, refused, report, isShownLater } = imported;
  return [
    ...headOf(imported, asked),
    ...linesOfRefusals(refusals),
    ...fieldLines(imported),
    ...endLines(imported),
    ...weakLines(imported),
    ...(isShownLater ? [SHOWN_LATER] : []),
    ...(refused > 0 ? [`Each refused line with its field and reason: ${report}`] : []),
  ];
}
