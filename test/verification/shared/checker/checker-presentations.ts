import { groupedBy, type Presentation, type Received, type RoundHistory } from './history.ts';
import type { Violation } from './checker.ts';

/** Whether a refresh token may be presented again (docs/decisions/0005): I3, and the counts of the table. */

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

/** After the first of the two, for what allowed that one allows no other. */
function isBetween({ at }: { at: number }, { before, again }: Repetition): boolean {
  return at >= before.at + NOISE_MS && at <= again.at + NOISE_MS;
}

function own({ received }: RoundHistory, kind: Received['kind'], token: string): Received[] {
  return received.filter((entry) => entry.kind === kind && entry.token === token && !entry.repeated);
}

/** The earlier presentation, and it alone, was answered so, before the later one: both times are the campaign's own. */
function isProvenUnspent(history: RoundHistory, { token, before, again }: Repetition): boolean {
  const received = own(history, 'refresh', token).filter(({ at }) => at >= before.at && at < again.at);
  const [only] = received;
  if (received.length !== 1 || only?.hostile === undefined || only.answeredAt === undefined) return false;
  return PROOFS.includes(only.hostile) && only.answeredAt <= again.at;
}

/** The grant that a token or its successor belongs to, where a process or a row has told. */
function grantOf({ received, notes, grants }: RoundHistory, token: string): string | undefined {
  const next = received.find((entry) => entry.token === token && entry.next !== undefined)?.next;
  const isMeant = (one: string | undefined) => one !== undefined && (one === token || one === next);
  const told = notes.find((note) => note.what === 'received' && isMeant(note.token));
  if (told?.what === 'received') return told.grantId;
  return grants.find((row) => isMeant(row.token))?.id;
}

function hasExpired(history: RoundHistory, { token, again }: Repetition): boolean {
  const born = history.received.find((entry) => entry.next === token)?.at ?? 0;
  const grantId = grantOf(history, token);
  return history.expiries.some(
    (entry) =>
      entry.at >= born &&
      entry.at <= again.at + NOISE_MS &&
      (grantId === undefined || entry.grantId === grantId),
  );
}

/** What the in-doubt rule forbids about a repetition, in words. */
function offences(history: RoundHistory, repetition: Repetition): string[] {
  const { token, before, again } = repetition;
  const rested = again.at - before.at;
  const said = own(history, 'introspection', token).findLast((entry) => isBetween(entry, repetition));
  const isAllowed = history.introspects ? said?.active === true : history.withSibling.length === 0;
  const rows: Array<[boolean, string]> = [
    [rested < history.quiet - history.claimToWrite - NOISE_MS, `${rested} ms after a byte had left`],
    [!hasExpired(history, repetition), 'while its access token lived'],
    [!isAllowed, history.introspects ? 'not called live by introspection' : 'beside another live grant'],
  ];
  return rows.filter(([isWrong]) => isWrong).map(([, words]) => words);
}

export interface PresentationCounts {
  underRule: number;
  afterProof: number;
  outside: number;
}

/** A proof about one presentation says nothing of an earlier one that is still without: that one is in doubt. */
function isInDoubt(history: RoundHistory, { token, before }: Repetition): boolean {
  const list = history.presentations.filter((each) => each.token === token).toSorted((a, b) => a.at - b.at);
  const earlier = list.slice(0, list.indexOf(before));
  return earlier.some((first, n) => {
    const again = list[n + 1];
    return again !== undefined && !isProvenUnspent(history, { token, before: first, again });
  });
}

/** What the modern side received and nobody saw leaving. */
function checkSeen({ presentations, received, since }: RoundHistory): Violation[] {
  const refreshes = received.filter(({ kind, repeated }) => kind === 'refresh' && !repeated);
  const fresh = new Set(refreshes.filter(({ at }) => at >= since).map(({ token }) => token));
  return [...fresh].flatMap((token) => {
    const arrived = refreshes.filter((entry) => entry.token === token).length;
    const left = presentations.filter((entry) => entry.token === token).length;
    const text = `refresh token ${token} left ${left} times and was received ${arrived} times`;
    return arrived > left ? [{ invariant: 'I3', text }] : [];
  });
}

/** I3: no refresh token is presented twice unless the in-doubt rule or a proof allowed it. */
export function checkPresentations(history: RoundHistory): {
  violations: Violation[];
  counts: PresentationCounts;
} {
  const counts = { underRule: 0, afterProof: 0, outside: 0 };
  const violations: Violation[] = checkSeen(history);
  for (const repetition of repetitionsOf(history)) {
    const wrong = offences(history, repetition);
    const isProven = isProvenUnspent(history, repetition);
    if (isProven && (wrong.length === 0 || !isInDoubt(history, repetition))) counts.afterProof += 1;
    else if (wrong.length === 0) counts.underRule += 1;
    else {
      counts.outside += 1;
      const text = `refresh token ${repetition.token} was presented again, ${wrong.join(', ')}`;
      violations.push({ invariant: 'I3', text });
    }
  }
  return { violations, counts };
}
