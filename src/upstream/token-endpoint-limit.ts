import { SECOND, WRITE_PLACE_WITHIN } from '../shared/lifetimes.ts';
import { createConcurrencyLimit, createHeldPlaces } from './concurrency-limit.ts';

/**
 * Limits the parallel exchanges of one process on separate connections: a thousand grants that end in the same second
 * must not become a thousand connections. The slot is taken before any claim, so waiting costs nothing.
 */

/** Waits for a free slot; the returned function gives the slot back, once. */
export type SlotProvider = () => Promise<() => void>;

/** Whether somebody still waits for the exchange. */
export type WantedCheck = () => boolean;

interface Waiter {
  isWanted: WantedCheck;
  begin: () => void;
}

/** Slots in the order of arrival, but those that are still wanted come before all others. */
export function createSlots(atOnce: number): (isWanted?: WantedCheck) => Promise<() => void> {
  let free = atOnce;
  const waiters: Waiter[] = [];
  function next(): void {
    const wanted = waiters.findIndex(({ isWanted }) => isWanted());
    const [waiter] = waiters.splice(Math.max(wanted, 0), 1);
    if (waiter) waiter.begin();
    else free += 1;
  }
  return (isWanted = () => true) =>
    new Promise((resolve) => {
      let isHeld = true;
      const giveBack = () => {
        if (isHeld) next();
        isHeld = false;
      };
      const begin = () => resolve(giveBack);
      if (free === 0) return void waiters.push({ isWanted, begin });
      free -= 1;
      return begin();
    });
}

/** For exchanges with the authorization server. */
export const takeSlot = createSlots(16);

/**
 * For writes to the main API, separate because slow writes must not delay refreshes. One app may hold at most half of
 * the places, so that the next app finds a place at once, however many writes of the first app are under way.
 */
export const takeWritePlace = createHeldPlaces({ places: 40, patience: WRITE_PLACE_WITHIN });

/**
 * For reads of the main API: as many as there are connections for them (`http-client.ts`). An account may take all
 * places but those of a reserve, for apps and accounts with few reads under way. A burst may wait for a second. While
 * more reads come than are answered, a read that gets no place at once fails soon: the last known answer, or a refusal
 * now, is worth more than an answer that comes late.
 */
export const inReadPlace = createConcurrencyLimit({
  places: 48,
  reserve: { places: 16, most: 2 },
  waiting: 1024,
  patience: SECOND,
  standing: { after: 0.5 * SECOND, patience: 0.05 * SECOND },
  retryAfter: SECOND,
});
