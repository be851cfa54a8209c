import type { AccountsDeps } from '../accounts/deps.ts';
import type { WantedCount } from '../progress/wanted-count.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface ImportDeps extends AccountsDeps {
  wantedCount: WantedCount;
}
