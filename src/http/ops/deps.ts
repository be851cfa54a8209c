import type { InstanceDeps } from '../../domain/instance/deps.ts';
import type { Keyring } from '../../domain/keys/keyring.ts';
import type { Shutdown } from '../../domain/work/shutdown.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface OpsDeps extends InstanceDeps {
  keyring: Keyring;
  shutdown: Shutdown;
}
