import { tokensIn } from '../../shared/log/token-like.ts';

/** Why somebody did something to what belongs to others: the history keeps it, and the owner may read it. */

const REASON_MAX = 500;

/** A reason that cannot be kept. */
export class ReasonRefused extends Error {
  override readonly name = 'ReasonRefused';
}

/**
 * What the history and the owner are told, or nothing is done.
 * @throws {ReasonRefused}
 */
export function checkedReason(reason: string): string {
  const text = reason.trim();
  if (text === '' || text.length > REASON_MAX || /\p{Cc}/u.test(text))
    throw new ReasonRefused(`reason: 1 to ${REASON_MAX} printable characters`);
  if (tokensIn(text).length > 0)
    throw new ReasonRefused(
      'reason: it holds what looks like a token or secret; name its first and last characters',
    );
  return text;
}
