import { WRONG_SECRETS_SECONDS } from './lifetimes.ts';
import { createRecent } from './recent.ts';
import { createRollingWindow, type RollingWindow } from './rolling-window.ts';

const WRONG_SECRETS = 20;
const MAX_PAIRS = 10_000;

/** After so many wrong ones in a minute no secret is looked at any more. */
export const LOOKS = 3000;

/** What is answered to a wrong secret above the limit, and to every secret that is not looked at. */
export const TOO_MANY = {
  error: 'slow_down',
  error_description: 'too many wrong secrets, try again later',
};

const keyOf = (clientId: string, address: string) => `${address} ${clientId}`;

export type SecretBrake = ReturnType<typeof createSecretBrake>;

function createAddress() {
  const length = WRONG_SECRETS_SECONDS * 1000;
  return {
    wrong: createRollingWindow(WRONG_SECRETS, length),
    looks: createRollingWindow(LOOKS, length),
  };
}

const secondsUntil = (window: RollingWindow, now: number) =>
  window.left(now) > 0 ? 0 : Math.ceil(window.untilReset(now) / 1000);

/**
 * Brake on guessing client secrets (RFC 6749 §2.3.1, docs/threats.md C73): twenty wrong ones in a minute for one client
 * from one address. Naming the address keeps anybody from locking an app out from elsewhere. Further wrong ones are
 * refused with 429, and a right one is served, so that nobody beside the app locks it out either. Up to LOOKS wrong
 * ones in a minute are looked at.
 */
export function createSecretBrake() {
  const addressOf = createRecent(MAX_PAIRS, createAddress);
  return {
    /** Whole seconds until the next secret is looked at, 0 for at once. */
    wait(clientId: string, address: string): number {
      return secondsUntil(addressOf(keyOf(clientId, address)).looks, performance.now());
    },
    /** Counts a wrong secret; whole seconds for a 429, 0 where it is told that it is wrong. */
    countWrong(clientId: string, address: string): number {
      const now = performance.now();
      const { wrong, looks } = addressOf(keyOf(clientId, address));
      const seconds = secondsUntil(wrong, now);
      wrong.count(now);
      looks.count(now);
      return seconds;
    },
  };
}
