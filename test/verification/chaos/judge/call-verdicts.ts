import type { Line } from '../balancer.ts';
import type { Cut } from '../bridge-machine.ts';
import {
  type ChaosRecord,
  type Interval,
  type SentCall,
  type Standing,
  type Trouble,
  UNKNOWN_TOKEN,
} from '../record.ts';

/**
 * What each answer of a call means. A call may fail for one reason: the balancer had handed it to a bridge, and its
 * connection there was killed before the answer was whole. A bridge may say "come again" (503 with Retry-After) while
 * the database or the new API is away, and for a token whose refresh was under way when something was killed. It may say
 * "too many" (429) to an address alone that did send more unknown tokens in a minute than the bridges ask about.
 */

export type Seen = Pick<ChaosRecord, 'calls' | 'walks' | 'cuts' | 'troubles' | 'starved' | 'unnoticed'> & {
  lines: readonly Line[];
  /** All unknown tokens that were sent so far. */
  guesses: readonly SentCall[];
};

/** Clocks of two processes, and the time between a signal and the end of a process. */
const NOISE_MS = 60;
/** How long before its process was killed a refresh may have left, and how late another process may see that. */
const REFRESH_TAKES_MS = 17_000;

const overlaps = (
  { from, until }: Interval,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
) => from <= endedAt + NOISE_MS && until >= startedAt - NOISE_MS;

/** Whether a connection to the bridge was killed around a request. */
export function wasCut(cuts: readonly Cut[], line: Line): boolean {
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

/** Whether the database or the new API was away around something. */
export const inTrouble = (troubles: readonly Trouble[], call: { startedAt: number; endedAt: number }) =>
  troubles.some((trouble) => overlaps(trouble, call));

export type Verdict = 'fine' | 'cut' | 'again' | 'starved' | 'ended' | 'braked' | 'failed';

function mayComeAgain(seen: Seen, call: SentCall): boolean {
  return inTrouble(seen.troubles, call) || (call.standing !== undefined && hasCause(seen, call.standing));
}

/** A bridge remembers for so long that the new API was late, and so late must it have been. */
const REMEMBERED_MS = 20_000;
const LATE_MS = 1500;

/** Whether the machine kept processes from running around something. */
export function wasStarvedAround(
  { starved }: Pick<Seen, 'starved'>,
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

/** So many refused tokens of an address in a minute do the bridges ask about (src/domain/old-api/ask-limit.ts). */
const ASKED_IN_A_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Processes share their counts twice a second, and their minutes begin and end by the clock of the one that began. */
const SHARED_WITHIN_MS = 2000;

/** The brake holds back only who is above its limit, and nothing but unknown tokens. */
function verdictOfTooMany({ guesses }: Seen, { what, address, endedAt }: SentCall): Verdict {
  if (what !== UNKNOWN_TOKEN) return 'failed';
  const from = endedAt - MINUTE_MS - SHARED_WITHIN_MS;
  const own = guesses.filter(
    (one) => one.address === address && one.startedAt >= from && one.startedAt <= endedAt,
  );
  return own.length > ASKED_IN_A_MINUTE ? 'braked' : 'failed';
}

interface Meaning {
  is: (call: SentCall) => boolean;
  verdict: (seen: Seen, call: SentCall, line: Line | undefined) => Verdict;
}

/** The first that fits a call counts. Any other status failed. */
const MEANINGS: readonly Meaning[] = [
  // What the call was made for. The type of what is expected has neither 429 nor 5xx.
  { is: ({ expected, status }) => expected.some((one) => one === status), verdict: () => 'fine' },
  // A bridge answered, and did nothing.
  { is: ({ isAgain }) => isAgain, verdict: verdictOfAgain },
  // A token is refused; the checker of grants says whether its grant may have ended.
  {
    is: ({ status }) => status === 401,
    verdict: (_, { standing }) => (standing?.isDead ? 'ended' : 'failed'),
  },
  { is: ({ status }) => status === 429, verdict: verdictOfTooMany },
  { is: ({ status = 0 }) => status === 0 || status >= 500, verdict: verdictOfBroken },
];

/** What became of a call; `line` is what the balancer said of it. */
export function verdictOf(seen: Seen, call: SentCall, line: Line | undefined): Verdict {
  return MEANINGS.find(({ is }) => is(call))?.verdict(seen, call, line) ?? 'failed';
}
