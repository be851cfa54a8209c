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

/** Who has how many places, and who may have one more. */
function createShares({ places, most = places }: Room) {
  let free = places;
  const taken = new Map<string, number>();
  const of = (taker: string) => taken.get(taker) ?? 0;
  const change = (takers: Takers, by: 1 | -1) => {
    free -= by;
    for (const taker of takers) {
      const count = of(taker) + by;
      if (count > 0) taken.set(taker, count);
      else taken.delete(taker);
    }
  };
  return {
    of,
    mayTake: ([wide, ...narrow]: Takers) =>
      free > 0 && (wide === undefined || of(wide) < free) && narrow.every((taker) => of(taker) < most),
    take: (takers: Takers) => change(takers, 1),
    giveBack: (takers: Takers) => change(takers, -1),
  };
}

interface Waiter {
  takers: Takers;
  begin: () => void;
}

/** The one whose taker has the fewest places; of several, the one that has waited longest. */
function nextOf(waiting: Iterable<Waiter>, shares: ReturnType<typeof createShares>): Waiter | undefined {
  const able = [...waiting].filter(({ takers }) => shares.mayTake(takers));
  const placesOf = ({ takers: [wide = ''] }: Waiter) => shares.of(wide);
  return able.toSorted((one, other) => placesOf(one) - placesOf(other))[0];
}

/** Limits concurrent calls, fairly between their takers. A call that gets no place in time fails and holds nothing. */
export function createPlaces(room: Room): InPlace {
  const { places, patience } = room;
  const shares = createShares(room);
  const waiting = new Set<Waiter>();

  function leave(takers: Takers): void {
    shares.giveBack(takers);
    for (let next = nextOf(waiting, shares); next; next = nextOf(waiting, shares)) {
      waiting.delete(next);
      shares.take(next.takers);
      next.begin();
    }
  }

  const full = () => new Unavailable('all places are taken', { retryAfter: patience });

  function untilFree(takers: Takers): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const waiter = { takers, begin };
      const timer = setTimeout(() => {
        waiting.delete(waiter);
        reject(full());
      }, patience);
      waiting.add(waiter);
    });
  }

  async function enter(takers: Takers): Promise<void> {
    if (shares.mayTake(takers)) return shares.take(takers);
    if (waiting.size >= places * WAITING_FOR_ONE) throw full();
    await untilFree(takers);
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
