import { groupedBy, type Presentation, type Received, type RoundHistory } from './history.ts';
import type { Violation } from './checker.ts';

/** Whether a refresh token may be presented again (design 4): I3, and the counts of the table. */

/** Two clocks of one machine, read in two processes. */
const NOISE_MS = 60;

/** Answers that prove that nothing was spent. */
const PROOFS = ['slow-down', 'client-refused'];

interface Repetition {
  token: string;
  before: Presentation;
  again: Presentation;
}

function repetitionsOf(history: RoundHistory): Repetition[] {
  const byToken = groupedBy(history.presentations, ({ token }) => token);
  return [...byToken].flatMap(([token, list]) => {
    const ordered = list.toSorted((a, b) => a.at - b.at);
    const pairs = ordered.slice(1).map((again, n) => ({ token, before: ordered[n] as Presentation, again }));
    return pairs.filter(({ again }) => again.at >= history.since);
  });
}

function isBetween({ at }: { at: number }, { before, again }: Repetition): boolean {
  return at >= before.at - NOISE_MS && at <= again.at + NOISE_MS;
}

function own({ received }: RoundHistory, kind: Received['kind'], token: string): Received[] {
  return received.filter((entry) => entry.kind === kind && entry.token === token && !entry.repeated);
}

function isProvenUnspent(history: RoundHistory, repetition: Repetition): boolean {
  const answers = own(history, 'refresh', repetition.token).filter((entry) => isBetween(entry, repetition));
  return answers.some(({ hostile }) => hostile !== undefined && PROOFS.includes(hostile));
}

/** What the in-doubt rule forbids about a repetition, in words. */
function offences(history: RoundHistory, repetition: Repetition): string[] {
  const { token, before, again } = repetition;
  const rested = again.at - before.at;
  const born = history.received.find((entry) => entry.next === token)?.at ?? 0;
  const hasExpired = history.expiries.some(({ at }) => at >= born && at <= again.at + NOISE_MS);
  const said = own(history, 'introspection', token).findLast((entry) => isBetween(entry, repetition));
  const isAllowed = history.introspects ? said?.active === true : history.withSibling.length === 0;
  const rows: Array<[boolean, string]> = [
    [rested < history.quiet - history.claimToWrite - NOISE_MS, `${rested} ms after a byte had left`],
    [!hasExpired, 'while its access token lived'],
    [!isAllowed, history.introspects ? 'not called live by introspection' : 'beside another live grant'],
  ];
  return rows.filter(([isWrong]) => isWrong).map(([, words]) => words);
}

export interface PresentationCounts {
  underRule: number;
  afterProof: number;
  outside: number;
}

/** I3: no refresh token is presented twice unless the in-doubt rule or a proof allowed it. */
export function checkPresentations(history: RoundHistory): {
  violations: Violation[];
  counts: PresentationCounts;
} {
  const counts = { underRule: 0, afterProof: 0, outside: 0 };
  const violations: Violation[] = [];
  for (const repetition of repetitionsOf(history)) {
    const wrong = offences(history, repetition);
    if (isProvenUnspent(history, repetition)) counts.afterProof += 1;
    else if (wrong.length === 0) counts.underRule += 1;
    else {
      counts.outside += 1;
      const text = `refresh token ${repetition.token} was presented again, ${wrong.join(', ')}`;
      violations.push({ invariant: 'I3', text });
    }
  }
  return { violations, counts };
}
