import { SECOND } from '../../shared/lifetimes.ts';
import { createHeldPlaces } from '../../upstream/concurrency-limit.ts';

/**
 * Places for large bodies, each of which is held in memory until its call is answered: so many for one process, of which an
 * app alone may have half.
 */
export const takeLargeBodyPlace = createHeldPlaces({ places: 8, patience: 5 * SECOND });
