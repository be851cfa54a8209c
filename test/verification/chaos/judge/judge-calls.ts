import type { Line } from '../balancer.ts';
import type { Cut } from '../bridge-machine.ts';
import type { ChaosRecord, Interval, SentCall, Standing, Trouble, Walk } from '../record.ts';

/**
 * Which calls failed, and which of them may. A call may fail for one reason: the balancer had handed it to a bridge, and its
 * connection there was killed before the answer was whole. A bridge may say "come again" (503 with Retry-After) while
 * the database or the new API is away, and for a token whose refresh was under way when something was killed.
 */

export interface CallCounts {
  cut: number;
  again: number;
  /**
   * Told to come again by a bridge that took a new API for away which the machine kept from running, or sent to a bridge that
   * stopped before the machine let the balancer notice.
   */
  starved: number;
  /** Whose grant has ended; the checker of grants says whether it may. */
  ended: number;
  failures: string[];
}

type Seen = Pick<ChaosRecord, 'calls' | 'walks' | 'cuts' | 'troubles' | 'starved' | 'unnoticed'> & {
  lines: readonly Line[];
};

/** Clocks of two processes, and the time between a signal and the end of a process. */
const NOISE_MS = 60;
/** How long before its process was killed a refresh may have left, and how late another process may see that. */
const REFRESH_TAKES_MS = 17_000;

const overlaps = (
  { from, until }: Interval,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
) => from <= endedAt + NOISE_MS && until >= startedAt - NOISE_MS;

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

type Verdict = 'fine' | 'cut' | 'again' | 'starved' | 'ended' | 'failed';

function mayComeAgain(seen: Seen, call: SentCall): boolean {
  return inTrouble(seen.troubles, call) || (call.standing !== undefined && hasCause(seen, call.standing));
}

/** A bridge remembers for so long that the new API was late, and so late must it have been. */
const REMEMBERED_MS = 20_000;
const LATE_MS = 1500;

function wasStarvedAround(
  { starved }: Seen,
  { startedAt, endedAt }: Pick<SentCall, 'startedAt' | 'endedAt'>,
): boolean {
  const from = startedAt - REMEMBERED_MS;
  const parts = starved.map((one) => Math.min(one.until, endedAt) - Math.max(one.from, from));
  return parts.reduce((sum, part) => sum + Math.max(0, part), 0) >= LATE_MS;
}

function verdictOfAgain(seen: Seen, call: SentCall): Verdict {
  if (mayComeAgain(seen, call)) return 'again';
  return wasStarvedAround(seen, call) ? 'starved' : 'failed';
}

/** Of a call without a whole answer, or with a 5xx that does not say when to come again. */
function verdictOfBroken(seen: Seen, call: SentCall, line: Line | undefined): Verdict {
  const isAmong = (cuts: readonly Cut[]) => (line ? wasCut(cuts, line) : wasCutSilently(cuts, call));
  if (isAmong(seen.cuts)) return 'cut';
  return isAmong(seen.unnoticed) ? 'starved' : 'failed';
}

function verdictOf(seen: Seen, call: SentCall, line: Line | undefined): Verdict {
  const { status = 0, expected, standing, isAgain } = call;
  if (expected.includes(status)) return 'fine';
  if (isAgain) return verdictOfAgain(seen, call);
  if (status === 401 && standing?.isDead) return 'ended';
  const isBroken = status === 0 || status >= 500;
  return isBroken ? verdictOfBroken(seen, call, line) : 'failed';
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
  if (wasCut([...seen.cuts, ...seen.unnoticed], line)) return true;
  if (line.status !== 503 || line.end !== '--') return false;
  return inTrouble(seen.troubles, line) || wasStarvedAround(seen, line);
}

/** What a consent leads back with while the new API is late (docs/old-api.md). */
const TEMPORARILY = 'temporarily_unavailable';

type WalkVerdict = Verdict | { failed: string };

function verdictOfWalk(seen: Seen, walk: Walk, lines: readonly Line[]): WalkVerdict {
  const broken = lines.filter((line) => !isWhole(line));
  const bad = broken.find((line) => !isPageExcused(seen, line));
  if (bad) return { failed: `${walk.what} ${walk.id}: ${lineWords(bad)}` };
  if (walk.failure === undefined) return 'fine';
  if (broken.some((line) => wasCut(seen.cuts, line))) return 'cut';
  // what broke off at the pages of the new API needs a trouble as well
  if (broken.length > 0 || inTrouble(seen.troubles, walk)) return 'again';
  if (walk.failure.includes(TEMPORARILY) && wasStarvedAround(seen, walk)) return 'starved';
  return { failed: `${walk.what} ${walk.id} broke off: ${walk.failure}` };
}

function judgeWalks(seen: Seen, counts: CallCounts): void {
  for (const walk of seen.walks) {
    const own = seen.lines.filter(({ call }) => call === walk.id);
    const verdict = verdictOfWalk(seen, walk, own);
    if (typeof verdict === 'object') counts.failures.push(verdict.failed);
    else if (verdict !== 'fine' && verdict !== 'failed') counts[verdict] += 1;
  }
}

/** Judges calls and walks that are over; `lines` are all that the balancer said of them. */
export function judgeCalls(seen: Seen): CallCounts {
  const counts: CallCounts = { cut: 0, again: 0, starved: 0, ended: 0, failures: [] };
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
