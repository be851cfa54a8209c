import type { RawAnswer, RawRequest } from '../../../support/callers/raw-request.ts';
import { outcomeOf } from '../../shared/calls.ts';
import type { Chance } from '../../shared/faults/chance.ts';
import { countCall } from '../ledger.ts';
import { type SoakRun, someMachine } from '../run.ts';

/** A call that the checker of the campaign does not know: what it may be answered is said beforehand. */
interface OtherCall {
  what: string;
  request: RawRequest;
  allowed: readonly number[];
  /** Whether an answer is right whose status alone is not. */
  isRight?: (answer: RawAnswer) => boolean;
}

/** Makes one, and notes what was wrong with its answer; undefined where none came. */
export async function otherCall(
  run: SoakRun,
  chance: Chance,
  call: OtherCall,
): Promise<RawAnswer | undefined> {
  const { what, request, allowed, isRight = () => false } = call;
  const { ledger, options } = run;
  const { index, url } = someMachine(run, chance);
  const { answer, failure, startedAt, endedAt } = await outcomeOf(url, request, options.pace.patience);
  countCall(ledger, what, answer ?? {});
  if (!answer) {
    ledger.unanswered.push({ what, process: index, startedAt, endedAt, failure });
    return undefined;
  }
  if (endedAt - startedAt > options.pace.callerLimit)
    ledger.slow.push({ what, process: index, startedAt, endedAt });
  if (!allowed.includes(answer.status) && !isRight(answer)) {
    const words = `${what} at machine ${index} was answered ${answer.status}: ${answer.text.slice(0, 300)}`;
    ledger.complain(answer.status === 500 ? '500' : 'answered', words);
  }
  return answer;
}
