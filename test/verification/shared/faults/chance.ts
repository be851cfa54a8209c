import { createHash } from 'node:crypto';

/** Everything that a round leaves to chance, derived from the seed and the round's number alone. */
export interface Chance {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  /** Whether something happens that happens with that probability. */
  happens(probability: number): boolean;
}

/** The chance of one round. */
export function chanceOf(seed: number, round: number): Chance {
  let state = createHash('sha256').update(`${seed} ${round}`).digest().readUInt32LE();
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: <T>(list: readonly T[]) => list[between(0, list.length - 1)] as T,
    happens: (probability) => next() < probability,
  };
}
