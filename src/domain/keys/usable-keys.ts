import {
  isProofOf,
  type Key,
  type KeyRing,
  type Keys,
  PURPOSES,
  type Purpose,
} from '../../shared/secrets.ts';
import type { HeldKeys } from '../../store/files/keys-file.ts';
import type { KnownKey } from '../../store/tables/tables.ts';

/** Pure rules: from the keys that a file holds and the register of a database to the rings that a process works with. */

/** A key that stored values may stand on. */
function isInUse({ state }: KnownKey): boolean {
  return state === 'active' || state === 'old';
}

function isRight(known: KnownKey, keys: readonly Key[]): boolean {
  return keys.some((key) => key.id === known.id && isProofOf(known.purpose, key, known.proof));
}

/**
 * Why these keys cannot serve this database, in words; empty when they can. A key that is only announced may be missing,
 * but not be another one.
 */
export function findKeyProblems(known: readonly KnownKey[], held: HeldKeys): string[] {
  return known
    .filter(({ state }) => state !== 'dropped')
    .flatMap((row) => {
      const { purpose, id } = row;
      const isHeld = held[purpose].some((key) => key.id === id);
      if (isHeld && !isRight(row, held[purpose]))
        return [`the ${purpose} key ${id} is not the one that this database was used with`];
      if (!isHeld && isInUse(row)) return [`the ${purpose} key ${id} is missing, and this database uses it`];
      return [];
    });
}

interface Sources {
  known: readonly KnownKey[];
  held: HeldKeys;
  /** What a process had: a file that lost a key does not take it from those who read it before. */
  before?: UsableKeys;
}

export interface UsableKeys {
  keys: Keys;
  /** A key in use that cannot be read with; what stands on it is not lost, but cannot be served here. */
  missing: string | undefined;
  /** One that tokens and secrets may stand on: what is unknown may be known under it. */
  missingDigest: string | undefined;
  /** What the operator should mend although everything is served. */
  warning: string | undefined;
}

/**
 * Which of the keys at hand are the register's. A dropped key reads nothing any more, but for sealed values, which are
 * bound to their rows: a pair may still be on its way to the database.
 */
function readable(purpose: Purpose, known: readonly KnownKey[], keys: readonly Key[]): Key[] {
  return known
    .filter((row) => row.purpose === purpose && (row.state !== 'dropped' || purpose === 'sealing'))
    .flatMap((row) => keys.find((key) => key.id === row.id && isProofOf(purpose, key, row.proof)) ?? []);
}

function ringOf(purpose: Purpose, { known, held, before }: Sources): KeyRing {
  const earlier = before?.keys[purpose];
  const all = readable(purpose, known, [...held[purpose], ...(earlier?.all ?? [])]);
  const activeId = known.find((row) => row.purpose === purpose && row.state === 'active')?.id;
  const active = all.find(({ id }) => id === activeId) ?? earlier?.active ?? all[0];
  if (!active) throw new Error(`KEYS_FILE: there is no ${purpose} key`);
  return { active, all };
}

const lackOf = ({ purpose, id }: KnownKey) => `KEYS_FILE lacks the ${purpose} key ${id}, which is in use`;

/** The rings of a process. */
export function usableKeysOf(sources: Sources): UsableKeys {
  const { known, held } = sources;
  const keys = Object.fromEntries(PURPOSES.map((purpose) => [purpose, ringOf(purpose, sources)])) as Keys;
  const isHeld = ({ purpose, id }: KnownKey) => keys[purpose].all.some((key) => key.id === id);
  const missing = known.filter((row) => isInUse(row) && !isHeld(row));
  return {
    keys,
    missing: missing.map(lackOf)[0],
    missingDigest: missing.filter(({ purpose }) => purpose === 'digest').map(lackOf)[0],
    warning: findKeyProblems(known, held)[0],
  };
}
