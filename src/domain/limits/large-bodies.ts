import { SECOND } from '../../shared/lifetimes.ts';
import { createHeldPlaces } from '../../upstream/concurrency-limit.ts';

/**
 * Limits the large bodies that one process holds in memory until their calls are answered. One app alone may hold half
 * of the places.
 */
export const takeLargeBodyPlace = createHeldPlaces({ places: 8, patience: 5 * SECOND });

/** For bodies that are longer than the form of any old call, and not large. A slow sender may hold each for long. */
const LONG_BODIES = { places: 64, patience: 5 * SECOND };

/** For unknown callers. One network alone may hold half of the places. */
export const takeStrangersBodyPlace = createHeldPlaces(LONG_BODIES);

/** For reports of leaked tokens, which may be four times as long. */
export const takeReportPlace = createHeldPlaces({ places: 16, patience: 5 * SECOND });

/** For known callers. One app alone may hold half of the places. */
export const takeLongBodyPlace = createHeldPlaces(LONG_BODIES);
