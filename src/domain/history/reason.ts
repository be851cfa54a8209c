import { tokensIn } from '../../shared/log/token-like.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';

/**
 * The reason that a person gives for changing what belongs to others. The history keeps the reason, and the owner may
 * read it.
 */

const REASON_MAX = 500;

/** Why a token that works already is connected: a newer consent replaced its grant. */
export const NEWER_CONSENT = 'a newer consent';

/** The reason cannot be kept. */
export class ReasonRefused extends Refusal {}

/**
 * Checks a reason before the change. Without a good reason the change is refused.
 * @throws {ReasonRefused}
 */
export function checkedReason(reason: string): string {
  const text = reason.trim();
  if (text === '' || text.length > REASON_MAX || /\p{Cc}/u.test(text))
    throw new ReasonRefused(`reason: 1 to ${REASON_MAX} printable characters`);
  if (tokensIn(text).length > 0)
    throw new ReasonRefused(
      'reason: the text seems to hold a token or secret. Name only its first and last characters',
    );
  return text;
}
