import { SECOND } from '../../../shared/lifetimes.ts';
import { momentText } from '../../../shared/moments.ts';
import { unknownHolderStep } from './unknown-holder.ts';
import { whyGrantEnded, whyTokenEnded } from './ends.ts';
import type { TokenConnection, TokenStanding } from './standing.ts';
import { ENDED_TOO, STANDING_WORDS, standingWords, TOO_LATE } from './words.ts';

/** What support reads of one token: its standing in one or two plain sentences, and the next step. */

/** What support is told beside the standing. */
export interface SupportFacts {
  /** What identifies the holder. */
  holder: 'account' | 'email' | 'older id' | 'nothing';
  /** Whether no registered app is known for the token. */
  isUnidentified: boolean;
  /** Whether only a claim of the token's calls says that the token belongs to this app. */
  isUnproven: boolean;
  /** Why the grant of the token ended; null where the grant lives, or the cause is not known. */
  cause: string | null;
  /** Whether the take-over of a restored copy put its grant in doubt, and no refresh was sent since. */
  isOfTakeOver: boolean;
  /** Whether the old API can be asked whose token it is. */
  hasOldApi: boolean;
  /** Whether the last call that is known was refused. */
  isLastRefused: boolean;
  /** Until when its revocation can be taken back; unset where it cannot. */
  undoUntil?: number | undefined;
}

export interface TokenStatus {
  kind: 'ok' | 'warning' | 'error' | '';
  sentence: string;
  next: string;
}

/** Of a grant that a take-over put in doubt: no renewal was sent whose answer could be missing. */
const RESTORED: Partial<Record<TokenConnection, string>> = {
  'in doubt':
    'It works for now, but its connection stood in a restored copy that was taken over. The original may have renewed it since, so nobody knows yet whether the connection can be renewed.',
  'in doubt, expired':
    'Its connection stood in a restored copy that was taken over, and the original may have renewed it since. Its access token has expired, so calls that the new API answers get the last known answer or 503.',
};

type Case<Name extends TokenStanding['is']> = Extract<TokenStanding, { is: Name }>;

const ANEW =
  'To use the app again, the account holder connects it anew from the app, which gives it a new token.';

const SEND_LINK = 'Make a link to connect and send it to the account holder.';

function holderStep({ holder, isUnidentified, hasOldApi }: SupportFacts): string {
  if (isUnidentified)
    return 'Find out which app this is and assign the token to it; the program’s name and its calls are below.';
  if (holder === 'account') return SEND_LINK;
  if (holder === 'email')
    return 'Send a reminder: its link shows that the e-mail address is theirs. Or ask the person to sign in under “Your apps” and to show it there, or have a lead say whose account it is.';
  return unknownHolderStep({ hasOldApi, hasOldId: holder === 'older id' });
}

const CONNECTIONS: Record<TokenConnection, TokenStatus> = {
  ready: {
    kind: 'ok',
    sentence: 'It works: it is connected to the new API.',
    next: 'Nothing has to be done. Is the caller refused all the same? Compare the calls below, or test the connection.',
  },
  renewing: {
    kind: 'ok',
    sentence: 'It works; its connection is being renewed at this moment.',
    next: 'Nothing has to be done. Load the page again in a minute.',
  },
  suspect: {
    kind: 'warning',
    sentence: 'It is connected, but the new API refused its fresh access token a moment ago.',
    next: 'Calls that the new API answers get the last known answer or 503 meanwhile. Test the connection; if it stays so, tell the operator.',
  },
  'in doubt': {
    kind: 'warning',
    sentence:
      'It works for now, but its renewal got no whole answer, so nobody knows yet whether the connection can be renewed.',
    next: 'Wait: it is tried again by itself once the present access token has expired. To test it meanwhile does no harm. If the new API refuses it then, the account holder is asked to connect again.',
  },
  'in doubt, expired': {
    kind: 'warning',
    sentence:
      'Its renewal got no whole answer and its access token has expired, so calls that the new API answers get the last known answer or 503.',
    next: 'Wait until the next attempt, which is told below. If the new API refuses it then, the account holder is asked to connect again.',
  },
  stranded: {
    kind: 'warning',
    sentence:
      'It works for now, but its connection is not renewed: the client that it was made with is none that this bridge knows.',
    next: 'Tell the operator that MODERN_CLIENT_ID was changed. The connection is renewed again once that is set back, or once the account holder connects the app again.',
  },
  'stranded, expired': {
    kind: 'warning',
    sentence:
      'Its access token has expired and its connection is not renewed, because the client that it was made with is none that this bridge knows. So calls that the new API answers get the last known answer or 503.',
    next: 'Tell the operator that MODERN_CLIENT_ID was changed. It works again once that is set back, or once the account holder connects the app again.',
  },
  'resting, expired': {
    kind: 'warning',
    sentence:
      'Its access token has expired and could not be renewed yet, so calls that the new API answers get the last known answer or 503 until it is.',
    next: 'Wait for the next attempt: the first call after the time that is told below makes it. If it stays so, tell the operator.',
  },
  missing: {
    kind: 'error',
    sentence: 'It is marked as working, but nothing serves it.',
    next: 'This should not be. Tell the operator the id of this token.',
  },
};

/** A token that an earlier version connected because its call named the app. */
function unproven(status: TokenStatus): TokenStatus {
  return {
    kind: 'warning',
    sentence: `${status.sentence} Nobody was asked whether it belongs to this app: an earlier version believed what a call said.`,
    next: 'Ask the account holder. Then assign it to its app, which may be this one, or revoke it.',
  };
}

const KNOWN_BY: Record<SupportFacts['holder'], string> = {
  account: '',
  email: ' Its holder is known by an e-mail address alone, which nobody has proven.',
  'older id': ' Its holder is known by an id of the old API alone.',
  nothing: ' Whose it is, is not known.',
};

function unconnected(sentence: string, facts: SupportFacts): TokenStatus {
  const known = facts.isUnidentified
    ? ' It is used by a program that nobody registered.'
    : KNOWN_BY[facts.holder];
  return { kind: 'warning', sentence: `${sentence}${known}`, next: holderStep(facts) };
}

/** Who refused is not said: not each refusal is one of the old API, for a brownout refuses calls too. */
function passed(it: string, facts: SupportFacts): TokenStatus {
  const calls = facts.isLastRefused
    ? 'its calls go to the old API, and its last call was refused'
    : 'the old API still answers its calls';
  return unconnected(`${it}; ${calls}.`, facts);
}

const WHY_REFUSED: Record<Case<'refused'>['why'], string> = {
  registration:
    'it was made for the app’s owner at the registration, and works once the owner connects the app',
  retired: 'it was not connected to the new API before the retirement',
  unanswered: 'it is not connected to the new API',
};

function interrupted(it: string, { isConnected }: Case<'interrupted'>, facts: SupportFacts): TokenStatus {
  const sentence = `${it}. After it, its calls are answered as before.`;
  if (isConnected)
    return { kind: 'warning', sentence, next: 'Nothing has to be done. The outage ends by itself.' };
  return unconnected(`${sentence} It is not connected to the new API yet.`, facts);
}

function endedBy(reason: string | null, { cause }: SupportFacts): string {
  if (reason !== null && !reason.startsWith('grant_'))
    return `it was given to another app, and its connection did not come along (“${reason}”)`;
  return whyTokenEnded(reason) ?? whyGrantEnded(cause) ?? 'its connection has ended';
}

const hasStopped = (reason: string | null, facts: SupportFacts) =>
  `It ${STANDING_WORDS.stopped.headline}: ${endedBy(reason, facts)}.`;

function ended(it: string, standing: Case<'ended'>, facts: SupportFacts): TokenStatus {
  const words = { connected: `${it}, so every call is refused.`, unconnected: `${it}.` };
  const sentence =
    standing.was === 'stopped' ? `${hasStopped(standing.reason, facts)} ${ENDED_TOO}` : words[standing.was];
  return { kind: '', sentence, next: TOO_LATE };
}

const CAME_TWICE =
  'Ask the people who make the app why the code came twice; a reload of its callback page is the usual cause.';

/** Whether the revocation is final, and what the account holder does then. */
function revokedStep({ undoUntil: until }: SupportFacts): string {
  if (until === undefined) return `This is final. ${ANEW}`;
  const moment = momentText(until - (until % SECOND));
  return `If this was a mistake, it can be taken back until ${moment}. Otherwise it is final. ${ANEW}`;
}

function revoked(it: string, { reason }: Case<'revoked'>, facts: SupportFacts): TokenStatus {
  const step = revokedStep(facts);
  const why = whyTokenEnded(reason);
  const typed = reason === null ? '.' : `. The reason that was given: “${reason}”.`;
  return {
    kind: '',
    sentence: why === undefined ? `${it}${typed}` : `${it}: ${why}.`,
    next: reason === 'code_replayed' ? `${step} ${CAME_TWICE}` : step,
  };
}

const NOTHING_TO_DO = 'Nothing has to be done. Calls with the old token are refused for good.';

function moved(it: string, { handover }: Case<'moved'>): TokenStatus {
  const sentence = `${it}, which has taken its connection over and calls the new API itself.`;
  if (handover === 'open')
    return {
      kind: 'warning',
      sentence: `${sentence} The app has not confirmed yet that it stored the new tokens.`,
      next: 'Remind the app’s owner to confirm the hand-over: seven days after it the new tokens are erased here.',
    };
  if (handover === 'lapsed')
    return {
      kind: 'warning',
      sentence: `${sentence} The app never confirmed that, and the new tokens have been erased here.`,
      next: 'If the app lost them, the account holder has to connect it anew from the app.',
    };
  return { kind: '', sentence, next: NOTHING_TO_DO };
}

function connected({ connection }: Case<'served'>, { isOfTakeOver }: SupportFacts): TokenStatus {
  const status = CONNECTIONS[connection];
  return { ...status, sentence: (isOfTakeOver ? RESTORED[connection] : undefined) ?? status.sentence };
}

function statusOf(standing: TokenStanding, facts: SupportFacts): TokenStatus {
  const it = `It ${standingWords(standing).headline}`;
  switch (standing.is) {
    case 'served':
      return connected(standing, facts);
    case 'passed':
      return passed(it, facts);
    case 'interrupted':
      return interrupted(it, standing, facts);
    case 'refused':
      return unconnected(`${it}: ${WHY_REFUSED[standing.why]}.`, facts);
    case 'stopped':
      return { kind: 'error', sentence: hasStopped(standing.reason, facts), next: holderStep(facts) };
    case 'ended':
      return ended(it, standing, facts);
    case 'revoked':
      return revoked(it, standing, facts);
    case 'moved':
      return moved(it, standing);
    case 'orphaned':
      return {
        kind: '',
        sentence: `${it}.`,
        next: 'Nothing can be mended here. Ask the people who make the app.',
      };
  }
}

/** The standing of a token in one or two sentences, and the next step. */
export function supportStatus(standing: TokenStanding, facts: SupportFacts): TokenStatus {
  const status = statusOf(standing, facts);
  const isConnected = standing.is === 'served' || (standing.is === 'interrupted' && standing.isConnected);
  return facts.isUnproven && isConnected ? unproven(status) : status;
}

const SIDES: Partial<Record<Case<'served'>['side'], string>> = {
  old: 'The old API answers its calls until the retirement or a cut-over, but for user and profiles.',
  'cut over': 'The new API answers all its calls: the app is cut over for this account.',
  'refused there': 'The new API answers all its calls: the old API has refused the token.',
};

/** Which API answers the calls of a connected token; undefined where only one API is left. */
export function sideSentence(standing: TokenStanding): string | undefined {
  return standing.is === 'served' ? SIDES[standing.side] : undefined;
}
