import type { Line } from '../balancer.ts';
import type { SentCall, Walk } from '../record.ts';
import { inTrouble, type Seen, type Verdict, verdictOf, wasCut, wasStarvedAround } from './call-verdicts.ts';

/** Counts what became of calls and of walks of people, and tells which failed. */

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
  /** Unknown tokens of an address above the limit. */
  braked: number;
  failures: string[];
}

/** The end of a request as HAProxy saw it: a whole answer, no fault of a server, and nobody held back. */
const isWhole = ({ status, end }: Line) => end === '--' && status > 0 && status < 500 && status !== 429;

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
  if (line.status === 429) return false;
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
  const counts: CallCounts = { cut: 0, again: 0, starved: 0, ended: 0, braked: 0, failures: [] };
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
