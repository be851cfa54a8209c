import type { Canary } from './search.ts';

/** The secrets of a run, each once, by kind. */

/** At least ten of each are really used in a run. */
export const TEN_OF_EACH = [
  'legacy token',
  'legacy code',
  'app secret',
  'owner token',
  'app state',
  'upstream state',
  'PKCE verifier',
  'modern code',
  'access token',
  'refresh token',
  'browser cookie',
  'form token',
] as const;

/** There are as many as there are, and some that nobody gave out: guesses that came close. */
export const OTHERS = ['key', 'modern client secret', 'password', 'modern cookie', 'wrong guess'] as const;

export type Kind = (typeof TEN_OF_EACH)[number] | (typeof OTHERS)[number];

export interface Collection {
  add(kind: Kind, value: string | null | undefined): void;
  all(): Canary[];
  count(kind: Kind): number;
  some(kind: Kind): string;
}

export function createCollection(): Collection {
  const kinds = new Map<string, Kind>();
  const valuesOf = (kind: Kind) => [...kinds].flatMap(([value, known]) => (known === kind ? [value] : []));
  return {
    add(kind, value) {
      if (value && !kinds.has(value)) kinds.set(value, kind);
    },
    all: () => [...kinds].map(([value, kind]) => ({ kind, value })),
    count: (kind) => valuesOf(kind).length,
    some(kind) {
      const value = valuesOf(kind).at(-1);
      if (value === undefined) throw new Error(`no ${kind} yet`);
      return value;
    },
  };
}
