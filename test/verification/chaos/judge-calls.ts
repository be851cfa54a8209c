import type { Line } from './balancer.ts';
import type { Cut } from './bridge-machine.ts';
import type { ChaosRecord, SentCall, Standing, Trouble, Walk } from './record.ts';

/**
 * Which calls failed, and which of them may. A call may fail for one reason: the balancer had handed it to a bridge, and its
 * connection there was killed before the answer was whole. A bridge may say "come again" (503 with Retry-After) while
 * the database or the new API is away, and for a token whose refresh was under way when something was killed.
 */

export interface CallCounts {
  cut: number;
  again: number;
  /** Whose grant has ended; the checker of grants says whether it may. */
  ended: number;
  failures: string[];
}

type Seen = Pick<ChaosRecord, 'calls' | 'walks' | 'cuts' | 'troubles'> & { lines: readonly Line[] };

/** Clocks of two processes, and the time between a signal and the end of a process. */
const NOISE_MS = 60;
/** How long before its process was killed a refresh may have left, and how late another process may see that. */
const REFRESH_TAKES_MS = 17_000;

interface Interval {
  from: number;
  until: number;
}

const overlaps = ({ from, until }: Interval, { startedAt, endedAt }: { startedAt: number; endedAt: number }) =>
  from <= endedAt + NOISE_MS && until >= startedAt - NOISE_MS;

function wasCut(cuts: readonly Cut[], line: Line): boolean {
  return cuts.some((cut) => cut.server === line.server && overlaps(cut, line));
}

/**
 * HAProxy says nothing of a request that ended with a connection to a bridge that it had kept from an earlier one: it ends
 * the caller's connection too, without an answer and without a line.
 */
const UNLOGGED_WITHIN_MS = 1500;

function wasCutSilently(cuts: readonly Cut[], { startedAt, endedAt, status }: SentCall): boolean {
  if (status !== undefined) return false;
  return cuts.some(
    ({ from, until }) =>
      startedAt <= until && endedAt >= from - NOISE_MS && endedAt <= until + UNLOGGED_WITHIN_MS,
  );
}

/** The refresh whose outcome nobody knows left while something was killed or away. */
function hasCause({ cuts, troubles }: Seen, { presentedAt, isHeldBack }: Standing): boolean {
  if (isHeldBack) return true;
  if (presentedAt === undefined) return false;
  return [...cuts, ...troubles].some(
    ({ from, until }) => presentedAt >= from - REFRESH_TAKES_MS && presentedAt <= until + NOISE_MS,
  );
}

const inTrouble = (troubles: readonly Trouble[], call: { startedAt: number; endedAt: number }) =>
  troubles.some((trouble) => overlaps(trouble, call));

type Verdict = 'fine' | 'cut' | 'again' | 'ended' | 'failed';

function mayComeAgain(seen: Seen, call: SentCall): boolean {
  return inTrouble(seen.troubles, call) || (call.standing !== undefined && hasCause(seen, call.standing));
}

function verdictOf(seen: Seen, call: SentCall, line: Line | undefined): Verdict {
  if (call.status !== undefined && call.expected.includes(call.status)) return 'fine';
  if (call.isAgain) return mayComeAgain(seen, call) ? 'again' : 'failed';
  if (call.status === 401 && call.standing?.isDead) return 'ended';
  const isBroken = call.status === undefined || call.status >= 500;
  const isCut = line ? wasCut(seen.cuts, line) : wasCutSilently(seen.cuts, call);
  return isBroken && isCut ? 'cut' : 'failed';
}

/** The end of a request as HAProxy saw it: a whole answer, and no fault of a server. */
const isWhole = ({ status, end }: Line) => end === '--' && status > 0 && status < 500;

const lineWords = (line: Line) =>
  `${line.method} ${line.path} at ${line.server}: ${line.status} ${line.end}, ${line.endedAt - line.startedAt} ms, ${line.retries} retries`;

function callWords(call: SentCall, line: Line | undefined): string {
  const got = call.status ?? call.failure;
  const standing = call.standing ? ` ${JSON.stringify(call.standing)}` : '';
  const at = new Date(call.startedAt).toISOString();
  return `${call.what} ${call.id} of ${at} got ${got} (${line ? lineWords(line) : 'the balancer never saw it'})${standing} ${call.text ?? ''}`;
}

/** A request of a person: the balancer's own answers and cut connections need a cut, a 503 of a bridge a trouble. */
function isPageExcused(seen: Seen, line: Line): boolean {
  if (wasCut(seen.cuts, line)) return true;
  return line.status === 503 && line.end === '--' && inTrouble(seen.troubles, line);
}

type WalkVerdict = Verdict | { failed: string };

function verdictOfWalk(seen: Seen, walk: Walk, lines: readonly Line[]): WalkVerdict {
  const broken = lines.filter((line) => !isWhole(line));
  const bad = broken.find((line) => !isPageExcused(seen, line));
  if (bad) return { failed: `${walk.what} ${walk.id}: ${lineWords(bad)}` };
  if (walk.failure === undefined) return 'fine';
  if (broken.some((line) => wasCut(seen.cuts, line))) return 'cut';
  // what broke off at the pages of the new API needs a trouble as well
  if (broken.length > 0 || inTrouble(seen.troubles, walk)) return 'again';
  return { failed: `${walk.what} ${walk.id} broke off: ${walk.failure}` };
}

function judgeWalks(seen: Seen, counts: CallCounts): void {
  for (const walk of seen.walks) {
    const own = seen.lines.filter(({ call }) => call === walk.id);
    const verdict = verdictOfWalk(seen, walk, own);
    if (typeof verdict === 'object') counts.failures.push(verdict.failed);
    else if (verdict === 'cut' || verdict === 'again') counts[verdict] += 1;
  }
}

/** Judges calls and walks that are over; `lines` are all that the balancer said of them. */
export function judgeCalls(seen: Seen): CallCounts {
  const counts: CallCounts = { cut: 0, again: 0, ended: 0, failures: [] };
  const byCall = new Map(seen.lines.map((line) => [line.call, line]));
  for (const call of seen.calls) {
    const line = byCall.get(call.id);
    const verdict = verdictOf(seen, call, line);
    if (verdict === 'failed') counts.failures.push(callWords(call, line));
    else if (verdict !== 'fine') counts[verdict] += 1;
  }
  judgeWalks(seen, counts);
  return counts;
}
