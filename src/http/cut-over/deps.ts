import type { CutOverDeps } from '../../domain/cut-over/deps.ts';
import type { GrantsDeps } from '../../domain/grants/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface HttpCutOverDeps extends CutOverDeps {
  server: GrantsDeps['server'];
}
