import type { ChainLink } from '../../store/history/events.ts';

/** Parses the lines that hold anchors: lines of a machine's own file, and lines of a captured log stream. */

export interface Anchor extends ChainLink {
  /** ISO time. */
  at: string;
  witness: string;
}

export interface TakeOver {
  /** The last position at which the original and the copy agreed. */
  takenOverAt: number;
  at: string;
  witness: string;
}

export type AnchorLine = Anchor | TakeOver;

/** Anchors whose witness is right, and the lines whose witness is wrong: `keyId` where the key file lacks its key. */
export interface Anchors {
  anchors: Array<ChainLink & { at: string }>;
  /** The position up to which older anchors hold. */
  takeOvers: Array<{ position: number; at: string }>;
  wrong: Array<{ file: string; line: number; keyId?: string | undefined }>;
}

function objectIn(line: string): Record<string, unknown> | undefined {
  const start = line.indexOf('{');
  if (start < 0) return undefined;
  try {
    return JSON.parse(line.slice(start)) as Record<string, unknown>;
  } catch {
    // Half a line after a power cut, or a line of another program. Ignoring such a line opens no attack: an attacker
    // who wants to drop an anchor can drop the whole line.
    return undefined;
  }
}

/** The key's id stands before the first dot. The groups after the first dot form one value. */
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

/** The mark in a line; undefined for a line of another kind, `wrong` for a spoiled line. */
export function parseLine(line: string): AnchorLine | { wrong: true } | undefined {
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
