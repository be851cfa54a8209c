import pLimit from 'p-limit';
import { WRITE_PLACE_WITHIN } from '../shared/lifetimes.ts';
import { createHeldPlaces } from './concurrency-limit.ts';

/**
 * How many exchanges of one process run at once on connections of their own: a thousand grants that end in the same second
 * must not become a thousand connections. Taken before anything is claimed, so that waiting costs nothing.
 */

/** Waits for a free slot; the answer gives it back, once. */
export type TakeSlot = () => Promise<() => void>;

function createSlots(atOnce: number): TakeSlot {
  const limit = pLimit(atOnce);
  return () =>
    new Promise((resolve) => {
      void limit(() => new Promise<void>((giveBack) => resolve(giveBack)));
    });
}

/** For exchanges with the authorization server. */
export const takeSlot = createSlots(16);

/**
 * For writes to the main API, of their own: slow ones must not keep access tokens from being renewed. An app alone may have
 * half of them, so that the next one finds a place at once however many writes of the first are under way.
 */
export const takeWritePlace = createHeldPlaces({ places: 40, patience: WRITE_PLACE_WITHIN });
