import { checkCalls } from './checker-calls.ts';
import { checkGrants } from './checker-grants.ts';
import { checkPresentations, type PresentationCounts } from './checker-presentations.ts';
import { groupedBy, type RoundHistory } from './history.ts';

/**
 * Decides over what was recorded of a round, and over nothing else; pure, so that it can be tested.
 *
 * Not here: I7 (redirects only to registered addresses), because every consent of the campaign uses the one registered
 * callback and no fault of a process or network can choose another; and I10 (bounds of memory and queues), because a
 * round is too short to grow anything, and its processes die before a leak would be seen.
 */

export interface Violation {
  /** The number of the invariant in the list that it comes from, or the name of a rule of this campaign. */
  invariant: string;
  text: string;
}

/** I9: no process ends that nobody killed. */
function checkEnds({ outages, since }: RoundHistory): Violation[] {
  return outages
    .filter(({ wanted, from }) => !wanted && from >= since)
    .map(({ process }) => ({ invariant: 'I9', text: `process ${process} ended by itself` }));
}

/** I6: no secret stands in a log. */
function checkLeaks({ leaks }: RoundHistory): Violation[] {
  return leaks.map((leak) => ({ invariant: 'I6', text: `a secret stands in a log: ${leak}` }));
}

function checkSettled({ unsettled }: RoundHistory): Violation[] {
  return unsettled.map((text) => ({ invariant: 'settled', text }));
}

function oncePerText(same: Violation[]): Violation {
  const { invariant, text } = same[0] as Violation;
  return { invariant, text: same.length > 1 ? `${text} (${same.length} times)` : text };
}

/** Everything that is wrong with a round. */
export function checkRound(history: RoundHistory): { violations: Violation[]; counts: PresentationCounts } {
  const { violations, counts } = checkPresentations(history);
  const rules = [checkGrants, checkCalls, checkEnds, checkLeaks, checkSettled];
  const all = [...violations, ...rules.flatMap((rule) => rule(history))];
  return { violations: [...groupedBy(all, ({ text }) => text).values()].map(oncePerText), counts };
}
