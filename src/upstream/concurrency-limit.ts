import { Unavailable } from './outcomes.ts';

/** No place became free in time. Nothing was begun. */
export class NoFreePlace extends Unavailable {}

interface LimitRule {
  /** How many calls may run in parallel, when no other rule applies. */
  places: number;
  /**
   * Further places for takers that hold few places. While some takers make long calls, other takers find a place here.
   */
  reserve?: { places: number; most: number };
  /** How long a call waits for a place, in milliseconds. */
  patience: number;
  /** How many calls may wait; by default eight for each place. */
  waiting?: number;
  /**
   * Where somebody has waited nearly all the time for `after` milliseconds, more calls come than are answered. From then on
   * further calls wait for `patience` milliseconds: to wait longer would help nobody. A burst is over sooner. It ends when
   * nobody waits and nobody has given up for `after` milliseconds.
   */
  standing?: { after: number; patience: number };
  /** When a call without a place may come again, in milliseconds. */
  retryAfter?: number;
}

/** The takers of a place, the wide taker before the narrow takers: an app before its account. */
export type Takers = readonly string[];

/**
 * Runs work in one of few places, and passes it the time waited. A call may bring a shorter patience of its own, after which it
 * gives up. @throws {NoFreePlace}
 */
type ConcurrencyLimit = <T>(
  work: (waited: number) => Promise<T>,
  takers?: Takers,
  patience?: number,
) => Promise<T>;

/** By default at most this many calls wait for each place. Further calls fail at once and may come again. */
const WAITING_FOR_ONE = 8;

const NEVER_STANDING = { after: Number.POSITIVE_INFINITY, patience: 0 };

type TakerCounts = ReturnType<typeof createCounts>;

/** How many places, or turns in the queue, each taker has. */
function createCounts() {
  const taken = new Map<string, number>();
  const of = (taker = '') => taken.get(taker) ?? 0;
  const change = (takers: Takers, by: 1 | -1) => {
    for (const taker of takers) {
      const count = of(taker) + by;
      if (count > 0) taken.set(taker, count);
      else taken.delete(taker);
    }
  };
  return { of, add: (takers: Takers) => change(takers, 1), remove: (takers: Takers) => change(takers, -1) };
}

/** Some places, and the rule that decides which taker may take a further place. */
interface PlaceShare {
  isFree(takers: Takers): boolean;
  take(takers: Takers): void;
  giveBack(takers: Takers): void;
}

function createShare(
  places: number,
  mayTake: (takers: Takers, free: number, counts: TakerCounts) => boolean,
): PlaceShare {
  let free = places;
  const counts = createCounts();
  return {
    isFree: (takers) => free > 0 && mayTake(takers, free, counts),
    take(takers) {
      free -= 1;
      counts.add(takers);
    },
    giveBack(takers) {
      free += 1;
      counts.remove(takers);
    },
  };
}

/**
 * A wide taker may take a place only while it holds fewer of these places than are free, so that one is left for the
 * next taker. A narrow taker holds at most `most` places.
 */
const halving = (most: number) => (takers: Takers, free: number, counts: TakerCounts) =>
  (takers[0] === undefined || counts.of(takers[0]) < free) && counts.of(takers.at(-1)) < most;

/** Without a reserve the places themselves are shared by halves, so that some are left for others. */
function sharesOf({ places, reserve }: LimitRule): PlaceShare[] {
  if (!reserve) return [createShare(places, halving(places))];
  return [createShare(places, () => true), createShare(reserve.places, halving(reserve.most))];
}

interface Waiter {
  takers: Takers;
  /** When its place is due, whether or not the queue stands. */
  until: number;
  /** Begins in a place of this share. */
  begin: (share: PlaceShare) => void;
}

/**
 * The waiter whose takers hold the fewest places; among equals, the waiter whose place is due first, which with one patience for all
 * has waited longest.
 */
function nextOf(
  waiters: Iterable<Waiter>,
  inside: TakerCounts,
  mayBegin: (waiter: Waiter) => boolean,
): Waiter | undefined {
  const order = (one: Waiter, other: Waiter) =>
    inside.of(one.takers[0]) - inside.of(other.takers[0]) ||
    inside.of(one.takers.at(-1)) - inside.of(other.takers.at(-1)) ||
    one.until - other.until;
  let next: Waiter | undefined;
  for (const waiter of waiters) if (mayBegin(waiter) && (!next || order(waiter, next) < 0)) next = waiter;
  return next;
}

/**
 * The waiters, and the rule for a further turn: no taker may have more turns than are left. A queue goes on, although it is
 * empty, for `goesOnFor` milliseconds after somebody gave up waiting: a busy process begins calls in lumps, and the next lump is
 * on its way. A queue that is empty because everybody got a place was a burst, and is over.
 */
function createQueue(most: number, goesOnFor: number) {
  const waiters = new Set<Waiter>();
  const turns = createCounts();
  let [filledAt, gaveUpAt] = [0, Number.NEGATIVE_INFINITY];
  function remove(waiter: Waiter): void {
    if (waiters.delete(waiter)) turns.remove(waiter.takers);
  }
  const isOver = (now: number) => waiters.size === 0 && now - gaveUpAt > goesOnFor;
  return {
    /** For how long somebody has waited, but for short times, in milliseconds. */
    standsFor() {
      const now = performance.now();
      return isOver(now) ? 0 : now - filledAt;
    },
    hasTurn: (takers: Takers) =>
      waiters.size < most && takers.every((taker) => turns.of(taker) < most - waiters.size),
    add(waiter: Waiter) {
      const now = performance.now();
      if (isOver(now)) filledAt = now;
      waiters.add(waiter);
      turns.add(waiter.takers);
    },
    remove,
    giveUp(waiter: Waiter) {
      remove(waiter);
      gaveUpAt = performance.now();
    },
    all: (): Iterable<Waiter> => waiters,
  };
}

function untilFree(
  takers: Takers,
  queue: ReturnType<typeof createQueue>,
  { patience, due, full }: { patience: number; due: number; full: () => NoFreePlace },
): Promise<PlaceShare> {
  return new Promise((resolve, reject) => {
    const begin = (share: PlaceShare) => {
      clearTimeout(timer);
      resolve(share);
    };
    const waiter = { takers, until: performance.now() + due, begin };
    const timer = setTimeout(() => {
      queue.giveUp(waiter);
      reject(full());
    }, patience);
    queue.add(waiter);
  });
}

/** Who comes to a queue that stands gives up sooner, and is no more urgent for it than who waits already. */
function patienceIn(
  queue: ReturnType<typeof createQueue>,
  { after, patience }: NonNullable<LimitRule['standing']>,
  due: number,
): number {
  return queue.standsFor() > after ? Math.min(patience, due) : due;
}

/**
 * Limits concurrent calls, fairly between their takers. A call without a place in time fails and holds no resources.
 */
export function createConcurrencyLimit(room: LimitRule): ConcurrencyLimit {
  const { places, reserve, patience, retryAfter = patience, standing = NEVER_STANDING } = room;
  const shares = sharesOf(room);
  const inside = createCounts();
  const mostWaiting = room.waiting ?? (places + (reserve?.places ?? 0)) * WAITING_FOR_ONE;
  const queue = createQueue(mostWaiting, standing.after);
  const freeFor = (takers: Takers) => shares.find((share) => share.isFree(takers));
  const full = () => new NoFreePlace('too many calls run at once', { retryAfter });

  function take(share: PlaceShare, takers: Takers): void {
    share.take(takers);
    inside.add(takers);
  }

  function leave(left: PlaceShare, takers: Takers): void {
    left.giveBack(takers);
    inside.remove(takers);
    for (;;) {
      const next = nextOf(queue.all(), inside, ({ takers: waiting }) => freeFor(waiting) !== undefined);
      const share = next && freeFor(next.takers);
      if (!share) return;
      queue.remove(next);
      take(share, next.takers);
      next.begin(share);
    }
  }

  async function enter(takers: Takers, ownPatience: number): Promise<PlaceShare> {
    const share = freeFor(takers);
    if (share) {
      take(share, takers);
      return share;
    }
    if (!queue.hasTurn(takers)) throw full();
    const due = Math.min(patience, ownPatience);
    return untilFree(takers, queue, { patience: patienceIn(queue, standing, due), due, full });
  }

  return async (work, takers = [], ownPatience = patience) => {
    const came = performance.now();
    const share = await enter(takers, ownPatience);
    try {
      return await work(performance.now() - came);
    } finally {
      leave(share, takers);
    }
  };
}

/**
 * Waits for a place; the returned function gives the place back, once. @throws {Unavailable} no place became free in
 * time
 */
export type PlaceProvider = (takers: Takers) => Promise<() => void>;

/**
 * A place of any limit, for work that begins in one function and ends in another: waits until the limit runs the work,
 * and returns the function that gives the place back.
 */
function holdPlace(inPlace: (work: () => Promise<void>) => Promise<void>): Promise<() => void> {
  return new Promise((resolve, reject) => {
    inPlace(() => new Promise<void>((giveBack) => resolve(giveBack))).catch(reject);
  });
}

/** Places of a `createConcurrencyLimit` that are held. */
export function createHeldPlaces(room: LimitRule): PlaceProvider {
  const inPlace = createConcurrencyLimit(room);
  return (takers) => holdPlace((work) => inPlace(work, takers));
}
