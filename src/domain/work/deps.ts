import type { SingleFlight } from './single-flight.ts';
import type { TroubleLog } from './trouble-log.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Store } from '../../store/driver/store.ts';

/** The parts of the context that this room uses. */
export interface WorkDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  troubles: { jobs: TroubleLog; leases: TroubleLog; reads: TroubleLog };
  flights: SingleFlight;
  processId: string;
}
