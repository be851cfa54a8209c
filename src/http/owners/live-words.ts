import { carrierWords, programWords } from '../../domain/calls-of.ts';
import type { LiveCallRow } from '../../domain/live/read-live.ts';

/** What a row of the live page says. */

const STATUSES: Readonly<Record<number, string>> = {
  400: 'the call was malformed',
  401: 'the token is not valid',
  403: 'the call is not allowed',
  404: 'there is no such thing',
  405: 'the method is wrong',
  410: 'the old API has ended, or its end is rehearsed',
  429: 'too many calls',
  503: 'the API could not be reached',
};

/** The answer in words, with its number: `answered (200)`. */
function statusWords(status: number): string {
  const general = status < 400 ? 'answered' : 'an error';
  return `${STATUSES[status] ?? general} (${status})`;
}

const MARKS: Readonly<Record<LiveCallRow['answered_by'], { text: string; kind: string }>> = {
  new: { text: 'new API', kind: 'ok' },
  old: { text: 'old API', kind: 'warning' },
  refused: { text: 'refused', kind: 'danger' },
};

function tokenWords({ carrier, hint }: LiveCallRow): { hint: string | null; sentIn: string } {
  if (carrier === 'credentials') return { hint, sentIn: 'no token, but the app’s own secret' };
  return { hint, sentIn: `sent in ${carrierWords(carrier)}` };
}

/** One row; `isFresh` of a call that came while somebody looked on. */
export function liveLine(call: LiveCallRow, isFresh: boolean) {
  return {
    at: call.at,
    method: call.method,
    endpoint: call.endpoint,
    token: tokenWords(call),
    program: programWords(call.user_agent),
    network: call.network === 'unknown' ? 'an unknown network' : call.network,
    status: statusWords(call.status),
    mark: MARKS[call.answered_by],
    isFresh,
  };
}

/** How many came since the page was opened, for those who do not see the rows. */
export function toldWords(told: number): string {
  if (told === 0) return 'No new call since you opened this page.';
  return `${told === 1 ? '1 new call' : `${told} new calls`} since you opened this page.`;
}
