import type { Facts } from './facts.ts';

/** How the numbers of pages are held against what is true: each rule knows some words, and what their numbers have to be. */

/** Where a number stands. */
export interface Place {
  path: string;
  text: string;
  /** Where the words of the rule begin. */
  index: number;
  /** Who reads it. */
  reader: string;
  /** What was caught by name. */
  names: Record<string, string>;
}

export interface Rule {
  on: RegExp;
  /** The words, in which `#` is a number that is compared; a number that stands there itself is part of the words. */
  says: string;
  /** What the numbers have to be, in their order; none where every number stands in the words itself. */
  truth?: (facts: Facts, place: Place) => number[];
}

export interface Checked {
  path: string;
  words: string;
  told: number[];
  truth: number[];
  isTrue: boolean;
}

export interface Unchecked {
  path: string;
  words: string;
}

const NUMBER = String.raw`(\d[\d,]*)`;

const valueOf = (text: string) => Number(text.replaceAll(',', ''));

/** Where a page says it of all calls that it tells. */
const PARTIAL =
  /There were at least these calls|These are at least the calls that came|At least [\d,]+ in the last 30 days/;

/** Whether the words before a number, or the page where it stands among calls, say that there may be more. */
const isAtLeast = (text: string, index: number, words: string) =>
  /at least (?:\| )?$/i.test(text.slice(0, index)) ||
  (/v1|in the header|on one day|Account|Profiles/.test(words) && PARTIAL.test(text));

/** Compares every number that a rule knows on a page; answers what was compared, and which numbers no rule knows. */
export function holdAgainst(
  rules: readonly Rule[],
  facts: Facts,
  { path, text, reader, numbers }: { path: string; text: string; reader: string; numbers: RegExpExecArray[] },
): { checked: Checked[]; unchecked: Unchecked[] } {
  const covered = Array.from({ length: text.length }, () => false);
  const checked: Checked[] = [];
  for (const { on, says, truth } of rules) {
    if (!on.test(path)) continue;
    for (const match of text.matchAll(new RegExp(says.replaceAll('#', NUMBER), 'gd'))) {
      covered.fill(true, match.index, match.index + match[0].length);
      if (!truth) continue;
      const names = (match.groups ?? {}) as Record<string, string>;
      const named = new Set(Object.values(match.indices?.groups ?? {}).map((span) => String(span)));
      const spans = [...(match.indices ?? [])].slice(1).filter((span) => span && !named.has(String(span)));
      const told = spans.map((span) => valueOf(text.slice(...(span ?? [0, 0]))));
      const expected = truth(facts, { path, text, index: match.index, reader, names });
      const isTrue =
        told.length === expected.length &&
        told.every((one, at) => {
          const [from = 0] = spans[at] ?? [];
          const least = expected[at] ?? Number.NaN;
          return isAtLeast(text, from, match[0]) ? one <= least : one === least;
        });
      checked.push({ path, words: match[0], told, truth: expected, isTrue });
    }
  }
  const unchecked = numbers
    .filter(({ index }) => !covered[index])
    .map(({ index }) => ({ path, words: text.slice(Math.max(0, index - 60), index + 40) }));
  return { checked, unchecked };
}
