import type { Link } from '../../store/history/events.ts';

/** The lines that anchors are read from: those of a machine's own file, and those of a log stream that somebody kept. */

export interface Anchor extends Link {
  /** ISO time. */
  at: string;
  witness: string;
}

export interface TakeOver {
  /** Where the original and the copy that took over still agreed. */
  takenOverAt: number;
  at: string;
  witness: string;
}

export type Mark = Anchor | TakeOver;

/** Anchors whose witness was right, and the lines where it was not. */
export interface Anchors {
  anchors: Array<Link & { at: string }>;
  /** Up to which position older anchors hold. */
  takeOvers: Array<{ position: number; at: string }>;
  wrong: Array<{ file: string; line: number }>;
}

function objectIn(line: string): Record<string, unknown> | undefined {
  const start = line.indexOf('{');
  if (start < 0) return undefined;
  try {
    return JSON.parse(line.slice(start)) as Record<string, unknown>;
  } catch {
    // Half a line after a power cut, or no line of ours: to drop an anchor nobody needs more than to drop its line.
    return undefined;
  }
}

/** The key's id stands before the first dot; the groups of the log after it are one value. */
function ungrouped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [keyId = '', ...groups] = value.split('.');
  return `${keyId}.${groups.join('')}`;
}

function fieldsOf(object: Record<string, unknown>): Record<string, unknown> | undefined {
  const isLogged = object['message'] === 'history anchor' || object['message'] === 'history taken over';
  if (isLogged) {
    return { ...object, chain: ungrouped(object['head']), witness: ungrouped(object['witness']) };
  }
  const isOfFile = 'takenOverAt' in object || ('position' in object && 'chain' in object);
  return isOfFile && !('message' in object) ? object : undefined;
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The mark in a line; nothing for a line of another kind, `wrong` for one that was spoiled. */
export function parseLine(line: string): Mark | { wrong: true } | undefined {
  const object = objectIn(line);
  const fields = object && fieldsOf(object);
  if (!fields) return undefined;
  const { position, chain, takenOverAt, at, witness } = fields;
  if (typeof at !== 'string' || typeof witness !== 'string') return { wrong: true };
  if (isPosition(takenOverAt)) return { takenOverAt, at, witness };
  return isPosition(position) && typeof chain === 'string'
    ? { position, chain, at, witness }
    : { wrong: true };
}
