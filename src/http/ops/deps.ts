import type { InstanceDeps } from '../../domain/instance/deps.ts';
import type { Keyring } from '../../domain/keys/keyring.ts';
import type { Shutdown } from '../../domain/work/shutdown.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface OpsDeps extends InstanceDeps {
  keyring: Keyring;
  shutdown: Shutdown;
}
