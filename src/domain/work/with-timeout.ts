import { CALLER_WAIT } from '../../shared/lifetimes.ts';
import { Unavailable } from '../../upstream/outcomes.ts';

/**
 * Waits for work as long as a legacy caller may wait (ten seconds, docs/old-api.md Q18; in milliseconds); the work
 * itself goes on.
 * @throws {Unavailable} when it takes longer
 */
export function withTimeout<T>(work: Promise<T>, limit = CALLER_WAIT): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLong = new Unavailable('the modern side takes too long', { retryAfter: 1000 });
    const timer = setTimeout(() => reject(tooLong), limit);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
