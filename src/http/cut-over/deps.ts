import type { CutOverDeps } from '../../domain/cut-over/deps.ts';
import type { GrantsDeps } from '../../domain/grants/deps.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface HttpCutOverDeps extends CutOverDeps {
  server: GrantsDeps['server'];
}
