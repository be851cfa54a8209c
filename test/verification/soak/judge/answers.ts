import { tookItself, wasAway, wasStarved } from '../../shared/checker/checker-calls.ts';
import type { Violation } from '../../shared/checker/checker.ts';
import type { Call, RoundHistory } from '../../shared/checker/history.ts';
import type { Ledger } from '../ledger.ts';

/** Whether every call that was accepted was answered, where the checker of the campaign does not say so. */

type Timed = Pick<Call, 'process' | 'startedAt' | 'endedAt'>;

/** A call at a machine that was told to stop may be refused; one that was accepted before its door closed is answered. */
function wasCutByStop({ outages }: RoundHistory, call: Timed & { failure?: string }): boolean {
  if (call.failure === undefined || call.failure.includes('ECONNREFUSED')) return false;
  const met = outages.filter(
    ({ process, from, until }) => process === call.process && from <= call.endedAt && until >= call.startedAt,
  );
  return met.length > 0 && met.every(({ pid, from }) => pid === 0 && call.startedAt < from);
}

function cutByStops(history: RoundHistory, calls: ReadonlyArray<Timed & { failure?: string }>): Violation[] {
  const cut = calls.filter((call) => wasCutByStop(history, call));
  return cut.map(({ process, failure }) => ({
    invariant: 'stop',
    text: `machine ${process} was told to stop and cut a call that it had accepted (${failure})`,
  }));
}

function wasPaused({ pauses }: RoundHistory, call: Timed): boolean {
  return pauses.some(
    ({ process, from, until }) => process === call.process && from <= call.endedAt && until >= call.startedAt,
  );
}

/** Every rule about calls that the checker does not have. */
export function judgeAnswers(
  history: RoundHistory,
  { unanswered, slow }: Pick<Ledger, 'unanswered' | 'slow'>,
): Violation[] {
  const without = unanswered.filter((call) => !wasAway(history, call) && !wasStarved(history, call));
  const late = slow.filter((call) => !wasPaused(history, call) && tookItself(call) > history.callerLimit);
  return [
    ...without.map(({ what, process, failure }) => ({
      invariant: 'answered',
      text: `${what} at machine ${process} got no answer (${failure}) from a living process`,
    })),
    ...late.map(({ what, process, startedAt, endedAt }) => ({
      invariant: 'answered',
      text: `${what} at machine ${process} took ${endedAt - startedAt} ms`,
    })),
    ...cutByStops(history, [...history.calls.filter(({ failure }) => failure !== undefined), ...unanswered]),
  ];
}
