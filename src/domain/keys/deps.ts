import type { Keyring } from './keyring.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Vault } from '../../shared/secrets.ts';
import type { Store } from '../../store/driver/store.ts';

/** What this room takes of the context. */
export interface KeysDeps {
  store: Store;
  clock: Clock;
  vault: Vault;
  keyring: Keyring;
}
