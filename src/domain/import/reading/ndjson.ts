import type { ImportLine } from './lines.ts';
import type { ImportEntry } from './reader.ts';
import type { RowRefusal } from '../refusals.ts';

/** Undefined for text that is not JSON. The parser's own error is dropped, because the error repeats the text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object of a line; empty for a blank line. */
export function parseNdjson({ line, text, isCut }: ImportLine): Array<ImportEntry | RowRefusal> {
  if (text.trim() === '') return [];
  const value = parse(text);
  if (value === undefined) return [{ line, reason: isCut ? 'the last line is cut off' : 'not valid JSON' }];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ line, reason: 'not one JSON object' }];
  return [{ line, fields: new Map(Object.entries(value)) }];
}
