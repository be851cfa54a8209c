import type { Rule } from '../../text-rules.ts';

export const LONGEST_TEXT = 10_000;

const LARGEST = 64 * 1024;

const strings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
};

/** Whether a string in it, however deep, has more than 10,000 characters (UTF-16 code units). */
export const holdsLongText = (value: unknown): boolean =>
  strings(value).some(({ length }) => length > LONGEST_TEXT);

/**
 * Content is kept as JSON of at most 64 kB in UTF-8 [inferred], so that a page of 100 stays an answer that a server can
 * make. The message has no full stop.
 */
export const sizeRule = (content: object, name: string): Rule => [
  Buffer.byteLength(JSON.stringify(content)) > LARGEST,
  `The ${name} is larger than 64 kB`,
];
