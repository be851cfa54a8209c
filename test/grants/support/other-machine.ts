import { createClaimAge } from '../../../src/domain/grants/refresh/claim-age.ts';
import type { Context } from '../../../src/domain/context.ts';
import { createSingleFlight } from '../../../src/domain/work/single-flight.ts';
import { createRefreshLimit } from '../../../src/domain/grants/refresh/refresh-limit.ts';
import { openSpill } from '../../../src/store/files/spill.ts';

/** Another machine on the same database: it shares neither the work in hand nor the spill. */
export function otherMachine(context: Context, folder: string): Context {
  return {
    ...context,
    flights: createSingleFlight(),
    places: createRefreshLimit(),
    watch: createClaimAge(context.clock),
    spill: openSpill(folder),
  };
}
