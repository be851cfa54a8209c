import { createClaimWatch } from '../../../src/domain/grants/refresh/claim-watch.ts';
import type { Context } from '../../../src/domain/context.ts';
import { createFlights } from '../../../src/domain/work/flights.ts';
import { createPlaces } from '../../../src/domain/grants/refresh/places.ts';
import { openSpill } from '../../../src/store/files/spill.ts';

/** Another machine on the same database: it shares neither the work in hand nor the spill. */
export function otherMachine(context: Context, folder: string): Context {
  return {
    ...context,
    flights: createFlights(),
    places: createPlaces(),
    watch: createClaimWatch(context.clock),
    spill: openSpill(folder),
  };
}
