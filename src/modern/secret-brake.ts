import { WRONG_SECRETS_SECONDS } from './lifetimes.ts';
import { createRecent } from './recent.ts';
import { createRollingWindow } from './rolling-window.ts';

const WRONG_SECRETS = 20;
const MAX_PAIRS = 10_000;

const keyOf = (clientId: string, address: string) => `${address} ${clientId}`;

export type SecretBrake = ReturnType<typeof createSecretBrake>;

/**
 * Brake on guessing client secrets (RFC 6749 2.3.1, hardening row 73): twenty wrong ones in a minute for one client from
 * one address. Naming the address keeps anybody from locking an app out from elsewhere.
 */
export function createSecretBrake() {
  const windowOf = createRecent(MAX_PAIRS, () =>
    createRollingWindow(WRONG_SECRETS, WRONG_SECRETS_SECONDS * 1000),
  );
  return {
    /** Whole seconds until the next secret is looked at, 0 for at once. */
    wait(clientId: string, address: string): number {
      const now = performance.now();
      const window = windowOf(keyOf(clientId, address));
      return window.left(now) > 0 ? 0 : Math.ceil(window.untilReset(now) / 1000);
    },
    count(clientId: string, address: string): void {
      windowOf(keyOf(clientId, address)).count(performance.now());
    },
  };
}
