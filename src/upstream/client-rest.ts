import type { Clock } from '../shared/clock.ts';
import { MINUTE, RETRY_MAX, SECOND } from '../shared/lifetimes.ts';
import { Unavailable } from './outcomes.ts';

/**
 * When all refreshes of one modern client rest because the server asked to slow down (429). Whose limit was reached is
 * not always said: a limit of one account must not stop the others, and a limit of the client must not be met with the
 * refresh of every account. A grant that was asked to wait rests for itself in any case.
 */
export interface ClientRest {
  /** @throws {Unavailable} while the client rests */
  check(): void;
  /** A refresh of an account was answered with a pair: what was asked of others was their own. */
  good(): void;
  /** A refresh of an account failed so. */
  heard(account: string, error: unknown): void;
}

/** So many accounts in a row that are asked to wait within a short time share a limit; nobody says which. */
const ACCOUNTS = 5;
const WITHIN = 10 * SECOND;
const REST_AFTER_SEVERAL = 1 * MINUTE;

/** The rest of one client in this process. */
export function createClientRest({ now }: Pick<Clock, 'now'>): ClientRest {
  let until = 0;
  const asked = new Map<string, number>();

  function isShared(account: string): boolean {
    asked.set(account, now());
    for (const [each, at] of asked) if (now() - at > WITHIN) asked.delete(each);
    return asked.size >= ACCOUNTS;
  }

  return {
    check() {
      const retryAfter = until - now();
      if (retryAfter > 0 && retryAfter <= RETRY_MAX)
        throw new Unavailable('the modern side asked to wait', { retryAfter });
    },
    good: () => asked.clear(),
    heard(account, error) {
      if (!(error instanceof Unavailable) || error.retryAfter === undefined) return;
      const several = isShared(account) ? REST_AFTER_SEVERAL : 0;
      const longest = error.isOfClient ? RETRY_MAX : several;
      until = Math.max(until, now() + Math.min(error.retryAfter, longest));
    },
  };
}
