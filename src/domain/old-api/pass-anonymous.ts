import { networkKey } from '../../shared/net/addresses.ts';
import type { PassedAnswer, PassedCall } from '../../upstream/old-backend.ts';
import type { Context } from '../context.ts';
import { createAskLimit } from './ask-limit.ts';

/**
 * Calls without a token, which the old API answers while it runs. Anybody can send them, so that they have few places of
 * their own there, and every one counts against its address, however it is answered.
 */

/** Pages of others ask for the shares of a link, each for its readers, who may share an address. */
const SHARES_PER_ADDRESS = 300;

/** The call is read behind the limits, by `readCall`. */
interface AnonymousCall {
  address: string;
  isShares: boolean;
  readCall: () => Promise<PassedCall>;
}

export type PassAnonymous = (call: AnonymousCall) => Promise<PassedAnswer>;

/**
 * Passes calls without a token, for a caller that has decided that the old API answers.
 * @throws {TooManyGuesses | Unavailable}
 */
export function createPassAnonymous(context: Context): PassAnonymous {
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
