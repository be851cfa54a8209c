import { WRONG_SECRETS_SECONDS } from './lifetimes.ts';
import { createRecent } from './recent.ts';
import { createRollingWindow, type RollingWindow } from './rolling-window.ts';

const WRONG_SECRETS = 20;
const MAX_PAIRS = 10_000;

/** After this number of wrong secrets in a minute, the brake refuses every secret without a check. */
export const LOOKS = 3000;

/** The answer to a wrong secret above the limit, and to every secret that is not checked. */
export const TOO_MANY = {
  error: 'slow_down',
  error_description: 'too many wrong secrets, try again later',
};

const keyOf = (clientId: string, address: string) => `${address} ${clientId}`;

export type ClientSecretLimiter = ReturnType<typeof createSecretBrake>;

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
 * Brake on guessing client secrets (RFC 6749 §2.3.1, docs/threats.md C73): twenty wrong secrets in a minute for one
 * client from one address. The count includes the address: a caller at another address cannot lock the app out. Further
 * wrong secrets get 429. A right secret is still served: a program beside the app, at the same address, cannot lock the
 * app out either. After LOOKS wrong secrets in a minute, no secret is checked.
 */
export function createSecretBrake() {
  const addressOf = createRecent(MAX_PAIRS, createAddress);
  return {
    /** Whole seconds until a secret is checked again. 0: at once. */
    wait(clientId: string, address: string): number {
      return secondsUntil(addressOf(keyOf(clientId, address)).looks, performance.now());
    },
    /**
     * Counts a wrong secret. Returns whole seconds for a 429, or 0 when the answer should say that the secret is wrong.
     */
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
