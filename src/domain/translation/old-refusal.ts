import type { RefusalKind, WriteRefusal } from '../../upstream/posts/write-post.ts';
import { FIELD_CODES, type FieldRefused } from './call-fields.ts';

/** Refusals of writes in the form of the old API: status, code and text. */

export interface OldRefusal {
  status: number;
  code: number;
  message: string;
  link?: string | undefined;
  /** Seconds until the caller may try again, if waiting helps. */
  retryAfter?: number | undefined;
}

/** The refusal of the old API for an update that does not exist. */
export const NO_SUCH_UPDATE = {
  status: 404,
  code: 1020,
  message: 'Update could not be found.',
} as const satisfies OldRefusal;

/** The refusal of the old API for the `move_to_top` of an update that has a time of its own, or no place in a queue. */
export const NOT_TO_BE_MOVED = {
  status: 400,
  code: 1027,
  message: 'Update must be in buffer and not custom scheduled in order to move to top.',
} as const satisfies OldRefusal;

/** The status and the code of a call whose outcome nobody knows. */
export const UNKNOWN_OUTCOME = { status: 500, code: 1000 } as const;

const FORBIDDEN_CODES = [1001, 1002, 1011, 1013, 1014, 1015, 1021, 1023, 1024, 1028, 1051];
const NOT_FOUND_CODES = [404, 1010, 1020, 1050];

/** The status that belongs to a code of the old API. */
function statusOf(code: number): number {
  if (NOT_FOUND_CODES.includes(code)) return 404;
  if (FORBIDDEN_CODES.includes(code)) return 403;
  if (code === 1005) return 406;
  if (code === 1000) return 500;
  return code === 405 || code === 429 ? code : 400;
}

type RefusalSubject = 'profile' | 'update';

const NOT_FOUND = { profile: 1010, update: NO_SUCH_UPDATE.code };
const NOT_ALLOWED = { profile: 1011, update: 1021 };

/** The new API has no separate type for the deletion of a post that does not exist; only the message tells. */
const speaksOfNotFound = (message: string) => /not found|does not exist|no longer exists/i.test(message);

const speaksOfMissing = (message: string) => /\brequires?\b|\brequired\b|\bmissing\b/i.test(message);

/** Old clients find a text to shorten by its code. */
const speaksOfLength = (message: string) =>
  /\btoo long\b|\bcharacter limit\b|\d characters\b/i.test(message) &&
  !/\bat least\b|\bminimum\b|\btoo short\b/i.test(message);

function codeOfInput(message: string): number {
  if (speaksOfMissing(message)) return FIELD_CODES.missing;
  return speaksOfLength(message) ? FIELD_CODES.tooLong : FIELD_CODES.notSaved;
}

/** Codes about the token. The token is valid here, and old clients discard their token when they read such a code. */
const TOKEN_CODES = [401, 403, 1001];

function codeHandedOn({ code }: WriteRefusal, place: RefusalSubject): number {
  if (code === undefined) return FIELD_CODES.notSaved;
  return TOKEN_CODES.includes(code) ? NOT_ALLOWED[place] : code;
}

const CODES: Record<RefusalKind, (refusal: WriteRefusal, place: RefusalSubject) => number> = {
  NotFoundError: (_, place) => NOT_FOUND[place],
  UnauthorizedError: (_, place) => NOT_ALLOWED[place],
  LimitReachedError: () => 1023,
  InvalidInputError: ({ message }) => codeOfInput(message),
  VoidMutationError: ({ message }, place) =>
    speaksOfNotFound(message) ? NOT_FOUND[place] : FIELD_CODES.notSaved,
  UnexpectedError: () => 1000,
  RestProxyError: codeHandedOn,
  // A write is sent only for a grant with the scope, therefore the account itself lacks the right.
  Forbidden: (_, place) => NOT_ALLOWED[place],
  BadRequest: () => FIELD_CODES.notSaved,
};

/** The new API names its own fields; the caller knows the old parameter. */
const inOldWords = (message: string) => message.replaceAll(/\bdueAt\b/g, 'scheduled_at');

/** The new API passes the code of a limit on without the time to wait. */
const LIMITED_FOR_SECONDS = 60;

/** The old form of a refusal by the new API. `place` is the subject of the call. */
export function refusalOfWrite(refusal: WriteRefusal, place: RefusalSubject): OldRefusal {
  const code = CODES[refusal.kind](refusal, place);
  const status = statusOf(code);
  const retryAfter = status === 429 ? LIMITED_FOR_SECONDS : undefined;
  const isUnknownUpdate =
    place === 'update' && code === NOT_FOUND.update && refusal.kind !== 'RestProxyError';
  const message = isUnknownUpdate ? NO_SUCH_UPDATE.message : inOldWords(refusal.message);
  return { status, code, message, link: refusal.link, retryAfter };
}

/** Other refusals may speak of a scheduled post too. */
const DENIES_QUEUE = /\b(?:only (?:a )?scheduled|not scheduled)\b/i;

/** The old form of a refusal of a move to the top. The new API tells only by its words that a post stands in no queue. */
export function refusalOfMove(refusal: WriteRefusal): OldRefusal {
  const isOutside = refusal.kind === 'VoidMutationError' && DENIES_QUEUE.test(refusal.message);
  return isOutside ? NOT_TO_BE_MOVED : refusalOfWrite(refusal, 'update');
}

/** The refusal of an unusable parameter. */
export function refusalOfField({ code, message }: Pick<FieldRefused, 'code' | 'message'>): OldRefusal {
  return { status: statusOf(code), code, message };
}
