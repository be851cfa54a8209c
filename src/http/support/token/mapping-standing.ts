import type { MappingDescription } from '../../../domain/support/describe-mapping.ts';
import type { OldApiStatus } from '../../wording/dates/lines.ts';
import { whyGrantEnded, whyTokenEnded } from '../../wording/ends.ts';
import { unknownHolderStep } from './holder-words.ts';

/** The standing of one token: one plain sentence and the next step, as a pure function of the known facts. */

type Mapping = MappingDescription['mapping'];
type Grant = NonNullable<MappingDescription['grant']>;

export interface TokenStatusFacts extends OldApiStatus {
  state: Mapping['state'];
  /** The reason that the mapping keeps for its state. */
  reason: string | null;
  /** What identifies the holder. */
  holder: 'account' | 'email' | 'older id' | 'nothing';
  /** Whether no registered app is known for the token. */
  isUnidentified: boolean;
  /** Whether only a claim of the token's calls says that the token belongs to this app. */
  isUnproven: boolean;
  isAppRetired: boolean;
  isOwnersOwn: boolean;
  /** Whether an old API is configured, retired or not. */
  hasBackend: boolean;
  /** Whether the old API may know the token. The old API answers no other token. */
  isFromBefore: boolean;
  grant:
    | {
        state: Grant['state'];
        cause: Grant['dead_cause'];
        /** Whether the access token of the grant still serves. */
        isServing: boolean;
        /** Whether the new API refused a fresh access token a moment ago. */
        isSuspect: boolean;
      }
    | undefined;
  handover: 'confirmed' | 'waits' | 'over' | undefined;
}

export interface TokenStatus {
  kind: 'ok' | 'warning' | 'error' | '';
  sentence: string;
  next: string;
}

const NOTHING_TO_DO = 'Nothing has to be done.';

const ANEW =
  'This is final. To use the app again, the account holder connects it anew from the app, which gives it a new token.';

const USE_NEW_API = 'The app has to use the new API; connecting again would not help.';

const SEND_LINK = 'Make a link to connect again and send it to the account holder.';

function holderStep({ holder, isUnidentified, hasOldApi }: TokenStatusFacts): string {
  if (isUnidentified)
    return 'Find out which app this is and assign the token to it; the program’s name and its calls are below.';
  if (holder === 'account') return SEND_LINK;
  if (holder === 'email')
    return 'Send a reminder: its link shows that the e-mail address is theirs. Or ask the person to sign in under “Your apps” and to show it there, or have a lead say whose account it is.';
  return unknownHolderStep({ hasOldApi, hasOldId: holder === 'older id' });
}

function serving(grant: NonNullable<TokenStatusFacts['grant']>): TokenStatus {
  if (grant.isSuspect)
    return {
      kind: 'warning',
      sentence: 'It is connected, but the new API refused its fresh access token a moment ago.',
      next: 'Calls get the last known answer or 503 meanwhile. Test the connection; if it stays so, tell the operator.',
    };
  if (grant.state === 'presenting')
    return {
      kind: 'ok',
      sentence: 'It works; its connection is being renewed at this moment.',
      next: 'Nothing has to be done. Load the page again in a minute.',
    };
  return {
    kind: 'ok',
    sentence: 'It works: its calls are answered by the new API.',
    next: 'Nothing has to be done. Is the caller refused all the same? Compare the calls below, or test the connection.',
  };
}

function inDoubt(isServing: boolean): TokenStatus {
  return isServing
    ? {
        kind: 'warning',
        sentence:
          'It works for now, but its renewal got no whole answer, so nobody knows yet whether the connection can be renewed.',
        next: 'Wait: it is tried again by itself once the present access token has expired. If the new API refuses it then, the account holder is asked to connect again.',
      }
    : {
        kind: 'warning',
        sentence:
          'Its renewal got no whole answer and its access token has expired, so calls get the last known answer or 503.',
        next: 'Wait until the next attempt, which is told below. If the new API refuses it then, the account holder is asked to connect again.',
      };
}

function active({ grant, phase }: TokenStatusFacts): TokenStatus {
  if (phase === 'ended')
    return {
      kind: '',
      sentence: 'It is still connected, but the old API has ended, so every call is refused.',
      next: USE_NEW_API,
    };
  if (!grant || grant.state === 'dead')
    return {
      kind: 'error',
      sentence: 'It is marked as working, but nothing serves it.',
      next: 'This should not be. Tell the operator the id of this token.',
    };
  return grant.state === 'in_doubt' ? inDoubt(grant.isServing) : serving(grant);
}

/** The standing of a token that an earlier version connected because its call named the app. */
function unproven({ phase }: TokenStatusFacts, standing: TokenStatus): TokenStatus {
  if (phase === 'ended') return standing;
  return {
    kind: 'warning',
    sentence: `${standing.sentence} Nobody was asked whether it belongs to this app: an earlier version believed what a call said.`,
    next: 'Ask the account holder. Then assign it to its app, which may be this one, or revoke it.',
  };
}

function endedBy({ reason, grant }: TokenStatusFacts): string {
  if (reason !== null && !reason.startsWith('grant_'))
    return `it was given to another app, and its connection did not come along (“${reason}”)`;
  return whyTokenEnded(reason) ?? whyGrantEnded(grant?.cause) ?? 'its connection has ended';
}

function stopped(facts: TokenStatusFacts): TokenStatus {
  const sentence = `It has stopped working: ${endedBy(facts)}.`;
  if (facts.phase === 'ended')
    return { kind: '', sentence: `${sentence} The old API has ended as well.`, next: USE_NEW_API };
  return { kind: 'error', sentence, next: holderStep(facts) };
}

function waits({ hasBackend, hasOldApi, isFromBefore, isOwnersOwn }: TokenStatusFacts): string {
  if (isOwnersOwn)
    return 'It was made for the app’s owner at the registration and is refused until the owner connects the app once.';
  const isKnownThere = hasBackend && isFromBefore;
  if (isKnownThere && hasOldApi)
    return 'It is not connected to the new API yet; the old API still answers its calls.';
  return isKnownThere
    ? 'It is not connected to the new API, and its calls are refused since the retirement.'
    : 'It is not connected to the new API, and its calls are refused.';
}

const OF_PROGRAM = ' It is used by a program that nobody registered.';

const KNOWN_BY: Record<TokenStatusFacts['holder'], string> = {
  account: '',
  email: ' Its holder is known by an e-mail address alone, which nobody has proven.',
  'older id': ' Its holder is known by an id of the old API alone.',
  nothing: ' Whose it is, is not known.',
};

function unmapped(facts: TokenStatusFacts): TokenStatus {
  if (facts.phase === 'ended')
    return {
      kind: '',
      sentence: 'It was never connected to the new API, and the old API has ended.',
      next: USE_NEW_API,
    };
  const known = facts.isUnidentified ? OF_PROGRAM : KNOWN_BY[facts.holder];
  return { kind: 'warning', sentence: `${waits(facts)}${known}`, next: holderStep(facts) };
}

const CAME_TWICE =
  'Ask the people who make the app why the code came twice; a reload of its callback page is the usual cause.';

function revoked({ reason }: TokenStatusFacts): TokenStatus {
  const why = whyTokenEnded(reason);
  const typed = reason === null ? '.' : `. The reason that was given: “${reason}”.`;
  return {
    kind: '',
    sentence: `It was revoked${why === undefined ? typed : `: ${why}.`}`,
    next: reason === 'code_replayed' ? `${ANEW} ${CAME_TWICE}` : ANEW,
  };
}

function migrated({ handover }: TokenStatusFacts): TokenStatus {
  const sentence = 'The app has taken its connection over and calls the new API itself.';
  if (handover === 'waits')
    return {
      kind: 'warning',
      sentence: `${sentence} It has not confirmed yet that it stored the pair.`,
      next: 'Remind the app’s owner to confirm the hand-over: seven days after it the pair is erased here.',
    };
  if (handover === 'over')
    return {
      kind: 'warning',
      sentence: `${sentence} It never confirmed that, and the pair has been erased here.`,
      next: 'If the app lost its pair, the account holder has to connect it anew from the app.',
    };
  return { kind: '', sentence, next: `${NOTHING_TO_DO} Calls with the old token are refused for good.` };
}

const BY_STATE: Record<TokenStatusFacts['state'], (facts: TokenStatusFacts) => TokenStatus> = {
  active: (facts) => (facts.isUnproven ? unproven(facts, active(facts)) : active(facts)),
  unmapped,
  reauthorization_required: stopped,
  revoked,
  migrated,
};

/** The state and the reason of a token in one or two sentences, and the next step. */
export function tokenStatusOf(facts: TokenStatusFacts): TokenStatus {
  if (facts.isAppRetired)
    return {
      kind: '',
      sentence: 'Its app was retired, so every call with it is refused.',
      next: 'Nothing can be mended here. Ask the people who make the app.',
    };
  return BY_STATE[facts.state](facts);
}
