import type { Door } from '../../endpoints/support/door.ts';
import type { Answer } from '../../support/servers/forward.ts';

/** A call that the recording proxy has seen. */
type Call = Parameters<NonNullable<Door['proxy']['onOtherAnswer']>>[0];

/** From now on the new API counts the requests of this kind against a budget of a hundred in which so many are left. */
export function leaveOf(
  door: Door,
  left: number,
  isCounted: (call: Call) => boolean = () => true,
): { left: number } {
  const budget = { left };
  door.proxy.onOtherAnswer = (call, answer: Answer) => {
    if (isCounted(call)) budget.left -= 1;
    const headers = {
      ratelimit: `"100-in-15min";r=${Math.max(0, budget.left)};t=600`,
      'ratelimit-policy': '"100-in-15min";q=100;w=900',
    };
    return { ...answer, headers: { ...answer.headers, ...headers } };
  };
  return budget;
}
