import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../store/driver/store.ts';

/** What this room takes of the context. */
export interface UsageDeps {
  store: Store;
  clock: Clock;
}
