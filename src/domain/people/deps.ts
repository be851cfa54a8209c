import type { Store } from '../../store/driver/store.ts';

/** What this room takes of the context. */
export interface PeopleDeps {
  store: Store;
}
