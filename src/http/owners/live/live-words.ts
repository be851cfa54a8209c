import { REFUSED_CALLS } from '../../../domain/tokens/standing/for-caller.ts';
import { carrierWords, isAnsweredHere, programWords } from '../../../domain/usage/calls-of.ts';
import { formatNumber } from '../../wording/words.ts';
import type { LiveCallRow } from '../../../domain/live/read-live.ts';

/** The words of a row on the live page. */

const STATUSES: Readonly<Record<number, string>> = {
  400: 'what the call asks for cannot be done',
  401: 'the token is not valid',
  403: 'the call is not allowed',
  404: 'this address is not served',
  405: 'the method is wrong',
  429: 'too many calls',
  503: 'the API could not be reached',
};

const MARKS = {
  new: { text: 'new API', kind: 'ok' },
  old: { text: 'old API', kind: 'warning' },
  refused: { text: 'refused', kind: 'danger' },
} as const;

interface Refusal {
  words: string;
  /** How to bring the program back: the text of a link to the app's page, which says who can act and has the button. */
  next?: string;
  /** Whether only the owner can act. */
  isOwners?: boolean;
}

/** Refusals of which the bridge knows more than the status says. */
const REFUSALS: Readonly<Partial<Record<string, Refusal>>> = {
  unmapped: { words: REFUSED_CALLS.unmapped, next: 'Where to connect it' },
  reauthorization_required: {
    words: REFUSED_CALLS.reauthorization_required,
    next: 'Where to connect it again',
  },
  revoked: { words: REFUSED_CALLS.revoked },
  migrated: { words: REFUSED_CALLS.migrated },
  brownout: { words: 'a planned test outage (brownout) runs: answered as before after it' },
  rehearsal: { words: 'the app’s own rehearsal runs: answered as before after it' },
};

const ENDED: Refusal = { words: 'the old API has ended', next: 'How to move to the new one', isOwners: true };

/** Whether the endpoint is served here, but not for every id. */
const isOfOne = (endpoint: string) => endpoint.includes(':id') && isAnsweredHere(endpoint);

const ABSENT: Refusal = { words: 'there is nothing at this address' };

function refusalOf({ answered_by: by, status, endpoint }: LiveCallRow): Refusal | undefined {
  if (status === 404 && (by === 'old' || isOfOne(endpoint))) return ABSENT;
  return REFUSALS[by] ?? (status === 410 ? ENDED : undefined);
}

/** The answer in words, with its status: `answered (200)`. */
function statusWords(status: number, refusal: Refusal | undefined): string {
  const general = status < 400 ? 'answered' : 'an error';
  return `${refusal?.words ?? STATUSES[status] ?? general} (${status})`;
}

/** Which API answered, the answer in words and, where somebody can act, a link to the page of the app. */
function answerWords(call: LiveCallRow, seesAll: boolean) {
  const { answered_by: by, status, client_id: clientId } = call;
  const refusal = refusalOf(call);
  const mark = by === 'new' || by === 'old' ? MARKS[by] : MARKS.refused;
  const next = refusal?.isOwners && !seesAll ? undefined : refusal?.next;
  return {
    mark,
    status: statusWords(status, refusal),
    next: next === undefined ? undefined : { text: next, href: `/apps/${clientId}` },
  };
}

function tokenWords({ carrier, hint }: LiveCallRow): { hint: string | null; sentIn: string } {
  if (carrier === 'credentials') return { hint, sentIn: 'no token, but the app’s own secret' };
  return { hint, sentIn: `sent in ${carrierWords(carrier)}` };
}

/**
 * One row, for the owner of the app or for a token holder. `isFresh` marks a call that came while the page was open.
 */
export function liveLine(call: LiveCallRow, { seesAll, isFresh }: { seesAll: boolean; isFresh: boolean }) {
  return {
    at: call.at,
    method: call.method,
    endpoint: call.endpoint,
    token: tokenWords(call),
    program: programWords(call.user_agent),
    network: call.network === 'unknown' ? 'an unknown network' : call.network,
    ...answerWords(call, seesAll),
    isFresh,
  };
}

/**
 * How many calls were shown since the page was opened, for people who cannot see the rows. When very many calls came at
 * once, not all of them were shown.
 */
export function toldWords(told: number): string {
  if (told === 0) return 'No new call since you opened this page.';
  return `${told === 1 ? '1 new call' : `${formatNumber(told)} new calls`} shown since you opened this page.`;
}
