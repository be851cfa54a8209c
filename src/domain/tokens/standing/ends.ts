import type { DeathCause } from '../../../store/tables/tables.ts';

/**
 * Why a connection or a token ended, in the words of every page and command. `isStop` of the desks says who has to act afterwards.
 */

interface CauseWords {
  /** The words in a list or a chart. */
  label: string;
  /** A clause that can follow a colon or stand as a sentence. */
  why: string;
}

/** The causes that a grant keeps. */
export const ENDS: Readonly<Record<DeathCause, CauseWords>> = {
  refused: {
    label: 'Refused by the new API',
    why: 'the new API refused to renew the connection, most often because it was revoked in the account settings or not used for long',
  },
  lost: {
    label: 'Lost answer',
    why: 'the reply of the new API was lost while the connection was renewed, so the connection ended',
  },
  superseded: {
    label: 'Restored from an older backup',
    why: 'this service was restored from a backup, and the original had renewed the connection after that backup',
  },
  deauthorized: {
    label: 'Ended on request',
    why: 'the account holder, the app or support ended the access',
  },
  replaced: {
    label: 'Replaced by a newer connection',
    why: 'the account holder connected again, and the newer connection took its place',
  },
  unfinished: {
    label: 'Code never fetched by the app',
    why: 'the account holder connected, and the app never got its code',
  },
  handed_over: {
    label: 'Taken over by its app',
    why: 'the app took the connection over and calls the new API itself',
  },
};

/** The reasons that a mapping keeps as one word. All other reasons were written by support. */
const KEPT: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ENDS).map(([cause, { why }]) => [`grant_${cause}`, why] as const),
  ['deauthorized', ENDS.deauthorized.why],
  ['handed_over', ENDS.handed_over.why],
  ['a call with the token asked for it', 'a call with the token itself asked for it'],
  ['leaked', 'it was found in a place that others can read, so it was ended for safety'],
  ['code_replayed', 'the code that it was made from was used twice, so it was ended for safety'],
]);

/** Whether a reason is one of the bridge's own words for an end of a connection or of a token. */
export function isEndCause(reason: string): boolean {
  return Object.hasOwn(ENDS, reason) || (KEPT.has(reason) && !reason.includes(' '));
}

/** Why a grant ended; undefined where the cause is not known. */
export function whyGrantEnded(cause: string | null | undefined): string | undefined {
  return KEPT.get(`grant_${cause}`);
}

/** Why a token is in its state; undefined without a kept reason, and for a reason that support wrote. */
export function whyTokenEnded(reason: string | null): string | undefined {
  return reason === null ? undefined : KEPT.get(reason);
}

/** The reason of a token as one word for the log. Reasons that support wrote are words for people: they stand in the history alone. */
export function loggedReason(reason: string | null): string | undefined {
  if (reason === null) return undefined;
  return KEPT.has(reason) ? reason : 'by hand';
}
