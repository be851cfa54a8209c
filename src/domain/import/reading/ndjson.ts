import type { Line } from './lines.ts';
import type { Entry } from './reader.ts';
import type { Refusal } from '../refusals.ts';

/** The parser's own words repeat what it read. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object of a line; nothing for a blank one. */
export function parseNdjson({ line, text, isCut }: Line): Array<Entry | Refusal> {
  if (text.trim() === '') return [];
  const value = parse(text);
  if (value === undefined) return [{ line, reason: isCut ? 'the last line is cut off' : 'not valid JSON' }];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ line, reason: 'not one JSON object' }];
  return [{ line, fields: new Map(Object.entries(value)) }];
}
