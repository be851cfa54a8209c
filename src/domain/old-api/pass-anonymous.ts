import { networkKey } from '../../shared/net/addresses.ts';
import type { PassedAnswer, PassedCall } from '../../upstream/old-backend.ts';
import type { OldApiDeps } from './deps.ts';
import { createAskLimit } from './ask-limit.ts';

/**
 * Calls without a token, which the old API answers while the old API runs. Anybody can send such a call. So these calls
 * have few places of their own at the old API, and each call counts for its address, whatever the answer.
 */

/**
 * Pages of other sites ask for the shares of a link for each of their readers, and many readers may share an address.
 */
const SHARES_PER_ADDRESS = 300;

/** `readCall` reads the call once the limits have let the call through. */
interface AnonymousCall {
  address: string;
  isShares: boolean;
  readCall: () => Promise<PassedCall>;
}

export type AnonymousPassThrough = (call: AnonymousCall) => Promise<PassedAnswer>;

/**
 * Passes calls without a token. The caller has decided that the old API answers.
 * @throws {LimitReached | Unavailable}
 */
export function createPassAnonymous(context: OldApiDeps): AnonymousPassThrough {
  const forShares = createAskLimit(context, 'shares without a token', SHARES_PER_ADDRESS);
  const forOthers = createAskLimit(context, 'calls without a token');
  return ({ address, isShares, readCall }) => {
    const { ask, count } = isShares ? forShares : forOthers;
    return ask(address, async () => {
      count(address);
      const { oldBackend } = context;
      if (!oldBackend) throw new Error('a call was to be passed on, and there is no old API');
      const call = await readCall();
      return oldBackend.pass({ ...call, sender: 'anonymous', takers: [networkKey(address)] });
    });
  };
}
