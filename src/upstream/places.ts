import { Unavailable } from './outcomes.ts';

interface Room {
  /** How many may be inside at once. */
  places: number;
  /** How long one waits for a place, in milliseconds. */
  patience: number;
}

/** Runs work in one of few places. @throws {Unavailable} no place became free in time */
type InPlace = <T>(work: () => Promise<T>) => Promise<T>;

/** Bounds work whose length others decide: who finds all places taken is told so early, and holds nothing meanwhile. */
export function createPlaces({ places, patience }: Room): InPlace {
  let free = places;
  const waiting = new Set<() => void>();

  function leave(): void {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  }

  function enter(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        waiting.delete(begin);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(new Unavailable('all places are taken', { retryAfter: patience }));
      }, patience);
      waiting.add(begin);
    });
  }

  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
