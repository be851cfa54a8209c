import {
  isProofOf,
  type Key,
  type KeyRing,
  type KeyRings,
  PURPOSES,
  type KeyPurpose,
} from '../../shared/secrets.ts';
import type { KeysByPurpose } from '../../store/files/keys-file.ts';
import type { KnownKey } from '../../store/tables/tables.ts';

/** Pure rules that make the key rings of a process from the keys in a file and the register of a database. */

/** Whether stored values may depend on a key. */
function isInUse({ state }: KnownKey): boolean {
  return state === 'active' || state === 'old';
}

function isRight(known: KnownKey, keys: readonly Key[]): boolean {
  return keys.some((key) => key.id === known.id && isProofOf(known.purpose, key, known.proof));
}

/**
 * Why these keys cannot serve this database, in words; empty when the keys can. A key that is only announced may be
 * missing, but its id must not belong to another key.
 */
export function findKeyProblems(known: readonly KnownKey[], held: KeysByPurpose): string[] {
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
  held: KeysByPurpose;
  /** The earlier keys of the process. If a file loses a key, a process that has already read the key keeps it. */
  before?: UsableKeys;
}

export interface UsableKeys {
  keys: KeyRings;
  /** A key in use that this process lacks. Values made with the key are not lost, but cannot be served here. */
  missing: string | undefined;
  /** A digest key in use that this process lacks. A token or secret that seems unknown may be known under this key. */
  missingDigest: string | undefined;
  /** A problem that the operator should repair although everything is served. */
  warning: string | undefined;
}

/**
 * The keys at hand that the register confirms. A dropped key reads only sealed values: a pair may still be on its way
 * to the database, and a sealed value is bound to its row.
 */
function readable(purpose: KeyPurpose, known: readonly KnownKey[], keys: readonly Key[]): Key[] {
  return known
    .filter((row) => row.purpose === purpose && (row.state !== 'dropped' || purpose === 'sealing'))
    .flatMap((row) => keys.find((key) => key.id === row.id && isProofOf(purpose, key, row.proof)) ?? []);
}

function ringOf(purpose: KeyPurpose, { known, held, before }: Sources): KeyRing {
  const earlier = before?.keys[purpose];
  const all = readable(purpose, known, [...held[purpose], ...(earlier?.all ?? [])]);
  const activeId = known.find((row) => row.purpose === purpose && row.state === 'active')?.id;
  const active = all.find(({ id }) => id === activeId) ?? earlier?.active ?? all[0];
  if (!active) throw new Error(`KEYS_FILE: there is no ${purpose} key`);
  return { active, all };
}

const lackOf = ({ purpose, id }: KnownKey) => `KEYS_FILE lacks the ${purpose} key ${id}, which is in use`;

/** Makes the key rings of a process. */
export function usableKeysOf(sources: Sources): UsableKeys {
  const { known, held } = sources;
  const keys = Object.fromEntries(PURPOSES.map((purpose) => [purpose, ringOf(purpose, sources)])) as KeyRings;
  const isHeld = ({ purpose, id }: KnownKey) => keys[purpose].all.some((key) => key.id === id);
  const missing = known.filter((row) => isInUse(row) && !isHeld(row));
  return {
    keys,
    missing: missing.map(lackOf)[0],
    missingDigest: missing.filter(({ purpose }) => purpose === 'digest').map(lackOf)[0],
    warning: findKeyProblems(known, held)[0],
  };
}
