/**
 * Which API answers an old call: one pure table. The question describes the call, the token and the old API at one
 * moment. The answer names the API, or the refusal that the caller gets. This file reads no clock, no database and no
 * request.
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
 * - `unconnected`: the old API knows the token, and no grant serves the token yet.
 * - `connected`: the old API knows the token, and a grant serves the token.
 * - `left`: as `connected`, but the old API has refused the token.
 * - `issued`: the bridge issued the token, and a grant serves the token.
 * - `ended`: any other known token. The token serves no call.
 */
export type TokenOfCall = 'none' | 'unknown' | 'unconnected' | 'connected' | 'left' | 'issued' | 'ended';

/**
 * The old API for the app of the token. `brownout`: a brownout that rehearses the retirement. In a brownout of the sunset
 * no call comes here (`src/http/legacy/lifecycle-gate.ts`). `none`: the settings name no old API.
 */
export type OldApiPhase = 'runs' | 'brownout' | 'retired' | 'none';

export interface AnswerInput {
  call: CallKind;
  token: TokenOfCall;
  oldApi: OldApiPhase;
  /** Whether the cut-over of its app includes the token's app and account. */
  isCutOver: boolean;
}

/**
 * - `new`, `old`: this API answers.
 * - `no token`: the answer to a known call without a token.
 * - `refused token`: the recorded 401 of a token.
 * - `refused call`: the address itself refuses the call (404, 405 or 406).
 */
export type Answerer = 'new' | 'old' | 'no token' | 'refused token' | 'refused call';

/** Without a token, `deauthorize` gets the same challenge here as from the old API: the old API is not asked. */
function isAskedForAnybody({ call, token, oldApi }: AnswerInput): boolean {
  return oldApi === 'runs' && !(call === 'deauthorize' && token === 'none');
}

/**
 * During a brownout of the retirement the old API still answers connected tokens; after a cut-over the new API does. `account` and
 * `deauthorize` calls of connected tokens always go to the new API.
 */
function isAskedForConnected({ call, oldApi, isCutOver }: AnswerInput): boolean {
  const runs = oldApi === 'runs' || oldApi === 'brownout';
  return runs && !isCutOver && (call === 'queue' || call === 'head' || call === 'unserved');
}

function asksOldApi(question: AnswerInput): boolean {
  switch (question.token) {
    case 'none':
    case 'unknown':
    case 'unconnected':
      return isAskedForAnybody(question);
    case 'connected':
      return isAskedForConnected(question);
    case 'left':
    case 'issued':
    case 'ended':
      return false;
  }
}

/** The answer to a known call where the old API is not asked. */
const KNOWN_CALL: Record<TokenOfCall, Answerer> = {
  none: 'no token',
  unknown: 'refused token',
  unconnected: 'refused token',
  connected: 'new',
  left: 'new',
  issued: 'new',
  ended: 'refused token',
};

/** A token that is not connected gets the refusal of its token at every address: the old API is retired, or is in a brownout. */
function otherCall({ call, token, oldApi }: AnswerInput): Answerer {
  return token === 'unconnected' && call !== 'head' && oldApi !== 'none' ? 'refused token' : 'refused call';
}

/** Decides who answers. */
export function whoAnswers(question: AnswerInput): Answerer {
  if (asksOldApi(question)) return 'old';
  const { call, token } = question;
  const isKnown = call === 'account' || call === 'deauthorize' || call === 'queue';
  return isKnown ? KNOWN_CALL[token] : otherCall(question);
}
