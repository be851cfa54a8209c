import { Unavailable } from './outcomes.ts';

interface Room {
  /** How many may be inside at once. */
  places: number;
  /** How long one waits for a place, in milliseconds. */
  patience: number;
  /** How many places a narrow taker may have at most; all of them where it is not given. */
  most?: number;
}

/**
 * Who takes a place, the wide taker before the narrow ones: an app before its account. A wide taker has no more places
 * than are free beside it. So takers of long calls leave a place for the next taker, however many calls they make.
 */
export type Takers = readonly string[];

/** Runs work in one of few places. @throws {Unavailable} no place became free in time */
type InPlace = <T>(work: () => Promise<T>, takers?: Takers) => Promise<T>;

/** So many calls wait for each place at most; the others are told at once to come again. */
const WAITING_FOR_ONE = 8;

/** How many places each taker has. */
function createTally() {
  const taken = new Map<string, number>();
  const of = (taker: string) => taken.get(taker) ?? 0;
  return {
    of,
    change(takers: Takers, by: 1 | -1): void {
      for (const taker of takers) {
        const count = of(taker) + by;
        if (count > 0) taken.set(taker, count);
        else taken.delete(taker);
      }
    },
  };
}

interface Waiter {
  takers: Takers;
  begin: () => void;
}

/** Limits concurrent calls, fairly between their takers. A call that gets no place in time fails and holds nothing. */
export function createPlaces({ places, patience, most = places }: Room): InPlace {
  let free = places;
  const tally = createTally();
  const waiting = new Set<Waiter>();
  const mayEnter = ([wide, ...narrow]: Takers) =>
    free > 0 &&
    (wide === undefined || tally.of(wide) < free) &&
    narrow.every((taker) => tally.of(taker) < most);

  const take = (takers: Takers) => {
    free -= 1;
    tally.change(takers, 1);
  };

  /** The one whose taker has the fewest places; of several, the one that has waited longest. */
  function nextWaiter(): Waiter | undefined {
    const able = [...waiting].filter(({ takers }) => mayEnter(takers));
    const placesOf = ({ takers: [wide = ''] }: Waiter) => tally.of(wide);
    return able.toSorted((one, other) => placesOf(one) - placesOf(other))[0];
  }

  function leave(takers: Takers): void {
    free += 1;
    tally.change(takers, -1);
    for (let next = nextWaiter(); next; next = nextWaiter()) {
      waiting.delete(next);
      take(next.takers);
      next.begin();
    }
  }

  const full = () => new Unavailable('all places are taken', { retryAfter: patience });

  function enter(takers: Takers): Promise<void> {
    if (mayEnter(takers)) return Promise.resolve(take(takers));
    if (waiting.size >= places * WAITING_FOR_ONE) return Promise.reject(full());
    return new Promise((resolve, reject) => {
      const waiter = {
        takers,
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(waiter);
        reject(full());
      }, patience);
      waiting.add(waiter);
    });
  }

  return async (work, takers = []) => {
    await enter(takers);
    try {
      return await work();
    } finally {
      leave(takers);
    }
  };
}
