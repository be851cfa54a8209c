import type { Keyring } from './keyring.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Vault } from '../../shared/secrets.ts';
import type { Store } from '../../store/driver/store.ts';

/** The parts of the context that this room uses. */
export interface KeysDeps {
  store: Store;
  clock: Clock;
  vault: Vault;
  keyring: Keyring;
}
