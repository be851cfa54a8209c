import { Unavailable } from '../../../upstream/outcomes.ts';
import { FIELD_CODES } from '../../translation/call-fields.ts';
import { whyInDoubt } from '../../translation/doubt-words.ts';
import { type OldRefusal, UNKNOWN_OUTCOME } from '../../translation/old-refusal.ts';
import { waitWords } from '../../translation/wait-words.ts';
import { LimitReached } from '../../limits/limit-reached.ts';
import { TooLateToBegin } from '../writes/claim-write.ts';
import { whyNotSent } from '../writes/why-not-sent.ts';
import type { MoveFailure } from './make-moves.ts';
import type { OrderEnd } from './order-updates.ts';

/** The messages that answer a call for another order. People read these messages in an old program. */

const secondsOf = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000));

function whyUnsent(error: unknown): string {
  if (error instanceof TooLateToBegin)
    return 'There was no time left for the next move. Send the same call again: it goes on from there.';
  return `An update could not be moved: ${whyNotSent(error)}`;
}

function refusalOfUnsent(error: unknown): OldRefusal {
  if (error instanceof LimitReached) {
    const retryAfter = secondsOf(error.retryAfter);
    const message = `An update could not be moved: the new API takes no more requests of this app for now. Try again in ${waitWords(retryAfter)}.`;
    return { status: 429, code: 429, message, retryAfter };
  }
  const message = whyUnsent(error);
  if (!(error instanceof Unavailable)) return { ...UNKNOWN_OUTCOME, message };
  return { status: 503, code: 1000, message, retryAfter: secondsOf(error.retryAfter ?? 1000) };
}

function refusalOfStop(stop: MoveFailure, link: string): OldRefusal {
  if (stop.kind === 'not_sent') return refusalOfUnsent(stop.error);
  if (stop.kind === 'refused') return stop.refusal;
  const message = `${whyInDoubt({ message: stop.message })} An update may have been moved.`;
  return { ...UNKNOWN_OUTCOME, message, link };
}

/** Every move was made, but the queue has another order, or its order is unknown. */
function refusalOfOrder({ posts }: OrderEnd, link: string): OldRefusal {
  if (!posts) return { ...UNKNOWN_OUTCOME, message: 'The updates were moved.', link };
  const message = 'The buffer changed while its updates were moved.';
  return { status: 400, code: FIELD_CODES.notSaved, message };
}

/** The refusal of a call whose order was not reached or is unknown. `link` is the page where a person can check. */
export function refusalOfEnd(end: OrderEnd, link: string): OldRefusal {
  const { stop, made, planned, posts } = end;
  if (stop?.kind === 'refused' && made === 0) return stop.refusal;
  const refusal = stop ? refusalOfStop(stop, link) : refusalOfOrder(end, link);
  const said = refusal.message.replace(/\.*$/, '.');
  const moved = `${made} of ${planned} moves were made.`;
  const order = posts
    ? 'The order that was reached is in updates.'
    : 'The order that was reached could not be read: look at the profile before you send the call again.';
  return { ...refusal, message: `${said} ${moved} ${order}` };
}

/** A paused queue takes moves and sends no posts. */
export function pausedWords({ posts }: OrderEnd): string[] {
  const isPaused = posts?.some(({ channel }) => channel.isQueuePaused) ?? false;
  return isPaused ? ['The queue of the profile is paused: its updates are sent once the queue goes on.'] : [];
}
