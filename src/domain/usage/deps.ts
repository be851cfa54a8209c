import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../store/driver/store.ts';

/** The parts of the context that this room uses. */
export interface UsageDeps {
  store: Store;
  clock: Clock;
}
