import { networkKey } from '../../shared/addresses.ts';
import type { PassedAnswer, PassedCall } from '../../upstream/old-backend.ts';
import type { Context } from '../context.ts';
import { createAskLimit } from './ask-limit.ts';

/**
 * Calls without a token, which the old API answers while it runs. Anybody can send them, so that they have the places and
 * limits of callers that the bridge does not know, beside those of unknown tokens.
 */

/** The call is read behind the limits, by `readCall`. */
interface AnonymousCall {
  address: string;
  readCall: () => Promise<PassedCall>;
}

export type PassAnonymous = (call: AnonymousCall) => Promise<PassedAnswer>;

const isRefusal = ({ status }: PassedAnswer) => status >= 400 && status < 500;

/**
 * Passes calls without a token, for a caller that has decided that the old API answers.
 * @throws {TooManyGuesses | Unavailable}
 */
export function createPassAnonymous(context: Context): PassAnonymous {
  const { ask, countRefusal } = createAskLimit(context, 'refused calls without a token');
  return ({ address, readCall }) =>
    ask(address, async () => {
      const { oldBackend } = context;
      if (!oldBackend) throw new Error('a call was to be passed on, and there is no old API');
      const call = await readCall();
      const answer = await oldBackend.pass({ ...call, isStranger: true, takers: [networkKey(address)] });
      if (isRefusal(answer)) countRefusal(address);
      return answer;
    });
}
