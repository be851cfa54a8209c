/**
 * Which side answers an old call: one pure table. The question names the call, the token and the old API at one moment;
 * the answer names the side, or says which refusal the caller gets. Nothing here looks at a clock, a database or a request.
 */

/**
 * - `account`: `user`, `profiles` and `profiles/:id`.
 * - `deauthorize`: the call that ends a token.
 * - `queue`: the fifteen other known calls.
 * - `head`: HEAD of a known call that reads.
 * - `otherwise`: another method or format of an `account` or `deauthorize` call.
 * - `unserved`: an unknown path, or another method or format of a `queue` call.
 */
export type CallKind = 'account' | 'deauthorize' | 'queue' | 'head' | 'otherwise' | 'unserved';

/**
 * - `none`: the call has no token.
 * - `unknown`: the bridge has never seen the token.
 * - `waiting`: the old API knows the token, and no grant serves it yet.
 * - `connected`: the old API knows the token, and a grant serves it.
 * - `left`: as `connected`, but the old API has refused the token.
 * - `issued`: the bridge issued the token, and a grant serves it.
 * - `ended`: any other known token. It serves nothing.
 */
export type TokenStanding = 'none' | 'unknown' | 'waiting' | 'connected' | 'left' | 'issued' | 'ended';

/** The old API for the app of the token. `none`: the settings name no old API. */
export type OldApiPhase = 'runs' | 'brownout' | 'retired' | 'none';

export interface Question {
  call: CallKind;
  token: TokenStanding;
  oldApi: OldApiPhase;
  /** Whether the cut-over of its app includes the token's app and account. */
  isCutOver: boolean;
}

/**
 * - `new`, `old`: that API.
 * - `no token`: the answer to a known call without a token.
 * - `refused token`: the recorded 401 of a token.
 * - `refused call`: what the address itself refuses the call with (404, 405 or 406).
 */
export type Answerer = 'new' | 'old' | 'no token' | 'refused token' | 'refused call';

/** An end without a token is answered with the same challenge by both sides, so that the old API is not asked. */
function isAskedForAnybody({ call, token, oldApi }: Question): boolean {
  return oldApi === 'runs' && !(call === 'deauthorize' && token === 'none');
}

/**
 * A brownout leaves connected tokens where they are, and a cut-over moves them. Of `account` and `deauthorize` calls the new
 * API is in charge.
 */
function isAskedForConnected({ call, oldApi, isCutOver }: Question): boolean {
  const runs = oldApi === 'runs' || oldApi === 'brownout';
  return runs && !isCutOver && (call === 'queue' || call === 'head' || call === 'unserved');
}

function asksOldApi(question: Question): boolean {
  switch (question.token) {
    case 'none':
    case 'unknown':
    case 'waiting':
      return isAskedForAnybody(question);
    case 'connected':
      return isAskedForConnected(question);
    case 'left':
    case 'issued':
    case 'ended':
      return false;
  }
}

/** What a known call of the nineteen gets where the old API is not asked. */
const KNOWN_CALL: Record<TokenStanding, Answerer> = {
  none: 'no token',
  unknown: 'refused token',
  waiting: 'refused token',
  connected: 'new',
  left: 'new',
  issued: 'new',
  ended: 'refused token',
};

/** A token that waited for the old API is told wherever it calls that its time is over, or is over in a brownout. */
function otherCall({ call, token, oldApi }: Question): Answerer {
  return token === 'waiting' && call !== 'head' && oldApi !== 'none' ? 'refused token' : 'refused call';
}

/** Who answers. */
export function whoAnswers(question: Question): Answerer {
  if (asksOldApi(question)) return 'old';
  const { call, token } = question;
  const isKnown = call === 'account' || call === 'deauthorize' || call === 'queue';
  return isKnown ? KNOWN_CALL[token] : otherCall(question);
}
