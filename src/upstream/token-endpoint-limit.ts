import pLimit from 'p-limit';
import { WRITE_PLACE_WITHIN } from '../shared/lifetimes.ts';
import { createHeldPlaces, holdPlace } from './concurrency-limit.ts';

/**
 * Limits the parallel exchanges of one process on separate connections: a thousand grants that end in the same second
 * must not become a thousand connections. The slot is taken before any claim, so waiting costs nothing.
 */

/** Waits for a free slot; the returned function gives the slot back, once. */
export type SlotProvider = () => Promise<() => void>;

function createSlots(atOnce: number): SlotProvider {
  const limit = pLimit(atOnce);
  return () => holdPlace(limit);
}

/** For exchanges with the authorization server. */
export const takeSlot = createSlots(16);

/**
 * For writes to the main API, separate because slow writes must not delay refreshes. One app may hold at most half of
 * the places, so that the next app finds a place at once, however many writes of the first app are under way.
 */
export const takeWritePlace = createHeldPlaces({ places: 40, patience: WRITE_PLACE_WITHIN });
