import { SECOND } from '../../shared/lifetimes.ts';
import { createHeldPlaces } from '../../upstream/concurrency-limit.ts';

/**
 * Limits the large bodies that one process holds in memory until their calls are answered. One app alone may hold half
 * of the places.
 */
export const takeLargeBodyPlace = createHeldPlaces({ places: 8, patience: 5 * SECOND });
