import type { Clock } from '../shared/clock.ts';
import { MINUTE, RETRY_MAX, SECOND } from '../shared/lifetimes.ts';
import { NotSent, Unavailable } from './outcomes.ts';

/**
 * When all refreshes of one client rest because the server asked to slow down (429). The server does not always say
 * whose limit was reached. A limit of one account must not stop the others, and a limit of the client must not be hit
 * with the refreshes of all accounts. A grant that was asked to wait rests in any case.
 */
export interface ClientPause {
  /** @throws {Unavailable} while the client rests */
  check(): void;
  /** A refresh of an account succeeded, so earlier requests to wait concerned single accounts. */
  good(): void;
  /** A refresh of an account failed with this error. */
  heard(account: string, error: unknown): void;
}

/** When this many accounts in a row are asked to wait within a short time, they share a limit, whichever it is. */
const ACCOUNTS = 5;
const WITHIN = 10 * SECOND;
const REST_AFTER_SEVERAL = 1 * MINUTE;

/** The rest of one client in this process. */
export function createClientRest({ now }: Pick<Clock, 'now'>): ClientPause {
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
        throw new NotSent('the authorization server asked the bridge to wait', { retryAfter });
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
