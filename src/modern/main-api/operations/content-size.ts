import type { TextRule } from '../../text-rules.ts';

export const LONGEST_TEXT = 10_000;

const LARGEST = 64 * 1024;

const strings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
};

/** Whether a string at any depth of `value` has more than 10,000 characters (UTF-16 code units). */
export const holdsLongText = (value: unknown): boolean =>
  strings(value).some(({ length }) => length > LONGEST_TEXT);

/**
 * Limits content to 64 kB of JSON in UTF-8 [inferred], so that a server can still make an answer with a page of 100
 * records. The message has no full stop.
 */
export const sizeRule = (content: object, name: string): TextRule => [
  Buffer.byteLength(JSON.stringify(content)) > LARGEST,
  `The ${name} is larger than 64 kB`,
];
