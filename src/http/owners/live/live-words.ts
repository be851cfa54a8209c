import { carrierWords, isAnsweredHere, programWords } from '../../../domain/usage/calls-of.ts';
import { numberWords } from '../../wording/words.ts';
import type { LiveCallRow } from '../../../domain/live/read-live.ts';

/** What a row of the live page says. */

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
  /** What brings the program back, as the words of a link to the page of the app: it says who can do it, and has the button. */
  next?: string;
  /** Whether the owner alone can do that. */
  isOwners?: boolean;
}

/** Where more is known than the number says. */
const REFUSALS: Readonly<Partial<Record<string, Refusal>>> = {
  unmapped: { words: 'the token is not connected yet', next: 'Where to connect it' },
  reauthorization_required: { words: 'the connection has ended', next: 'Where to connect it again' },
  revoked: { words: 'the token was revoked' },
  migrated: { words: 'the app has moved and the token was retired' },
  brownout: { words: 'a planned test outage (brownout) runs: answered as before after it' },
  rehearsal: { words: 'the app’s own rehearsal runs: answered as before after it' },
};

const ENDED: Refusal = { words: 'the old API has ended', next: 'How to move to the new one', isOwners: true };

/** What is served, but not for every id in it. */
const isOfOne = (endpoint: string) => endpoint.includes(':id') && isAnsweredHere(endpoint);

const ABSENT: Refusal = { words: 'there is nothing at this address' };

function refusalOf({ answered_by: by, status, endpoint }: LiveCallRow): Refusal | undefined {
  if (status === 404 && (by === 'old' || isOfOne(endpoint))) return ABSENT;
  return REFUSALS[by] ?? (status === 410 ? ENDED : undefined);
}

/** The answer in words, with its number: `answered (200)`. */
function statusWords(status: number, refusal: Refusal | undefined): string {
  const general = status < 400 ? 'answered' : 'an error';
  return `${refusal?.words ?? STATUSES[status] ?? general} (${status})`;
}

/** Whose answer it was, what it said and, where there is something to do, where that is done: the page of the app. */
function answerWords(call: LiveCallRow, isOwner: boolean) {
  const { answered_by: by, status, client_id: clientId } = call;
  const refusal = refusalOf(call);
  const mark = by === 'new' || by === 'old' ? MARKS[by] : MARKS.refused;
  const next = refusal?.isOwners && !isOwner ? undefined : refusal?.next;
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

/** One row for the owner of the app or for another who holds tokens; `isFresh` of a call that came while somebody looked on. */
export function liveLine(call: LiveCallRow, { isOwner, isFresh }: { isOwner: boolean; isFresh: boolean }) {
  return {
    at: call.at,
    method: call.method,
    endpoint: call.endpoint,
    token: tokenWords(call),
    program: programWords(call.user_agent),
    network: call.network === 'unknown' ? 'an unknown network' : call.network,
    ...answerWords(call, isOwner),
    isFresh,
  };
}

/** How many were shown since the page was opened, for those who do not see the rows; of very many at once more came. */
export function toldWords(told: number): string {
  if (told === 0) return 'No new call since you opened this page.';
  return `${told === 1 ? '1 new call' : `${numberWords(told)} new calls`} shown since you opened this page.`;
}
