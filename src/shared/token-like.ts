/** What in a text of a person looks like a token or a secret: people paste the wrong thing into the wrong field. */

/** Legacy codes and tokens, raw or as an address has them; `/v1/` is the beginning of none. */
const LEGACY = /(?<![A-Za-z0-9])1(?:\/|%2F)[A-Za-z0-9]{32,}/gi;

/** One that lost its `1/`, or a digest; the longest id of ours has 24 characters, and addresses have long parts. */
const BARE = /(?<![\w/.-])[A-Za-z0-9]{32,}/g;

/** App secrets and modern tokens; a long name in small letters with hyphens is none. */
const OPAQUE = /(?<![\w/.-])[A-Za-z0-9_-]{40,}/g;

const hasBoth = (text: string) => /\d/.test(text) && /[a-z]/i.test(text);

const isMixed = (text: string) => hasBoth(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);

/** Each such part, the longest first. */
export function tokensIn(text: string): string[] {
  const found = [
    ...(text.match(LEGACY) ?? []),
    ...(text.match(BARE) ?? []).filter(hasBoth),
    ...(text.match(OPAQUE) ?? []).filter(isMixed),
  ];
  return [...new Set(found)].toSorted((one, other) => other.length - one.length);
}
