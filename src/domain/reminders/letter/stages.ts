import type { DueStage, AppPart } from '../people.ts';
import { STANDING_WORDS } from '../../tokens/standing/words.ts';
import { USED_WITHIN } from '../plan-stages.ts';
import { letterCountWords, inDays, type LetterReader } from './moments.ts';

/** The kind and urgency of a reminder, and short words for both. */

/**
 * `refused`: the tokens are refused already, so a date ends nothing. `waits`: no date is set, and tokens still work.
 */
export type ReminderKind = 'died' | 'past' | 'refused' | 'ahead' | 'waits' | 'woken' | 'unused';

/** The stages that are no number of days before a date: each is a kind of its own. */
export const EVENT_STAGES = ['died', 'woken', 'unused'] as const;

/** The most urgent kind comes first. */
const ORDER: readonly ReminderKind[] = ['died', 'past', 'refused', 'ahead', 'waits', 'woken', 'unused'];

/** A due reminder, with the facts that the mail tells. */
export interface LetterStage extends DueStage {
  /** How many of the waiting tokens are refused at this moment. */
  refused: number;
  /** How many of the waiting tokens are refused before the retirement too, without any date. */
  refusedAnyway: number;
  /** Whether the sunset of the app has come: no connection helps any more. */
  isOver: boolean;
  /** Whether the holder has a connected token at the app too. The retirement does not end connected tokens. */
  hasConnected: boolean;
}

/** How many tokens of the part wait for a connection. */
export const waitingOf = ({ part }: LetterStage) =>
  part.role === 'holder' ? part.waiting : part.tokens.waiting;

/** How many of the waiting tokens still work. */
export function workingOf(one: LetterStage): number {
  return Math.max(0, waitingOf(one) - one.refused);
}

/** Whether another token of the holder works beside the token whose connection has ended. */
export function hasWorkingBeside(one: LetterStage): boolean {
  return !one.isOver && (one.hasConnected || (waitingOf(one) > 1 && workingOf(one) > 0));
}

/** Whether a date ends only a part of the holder's tokens: the waiting tokens. The sunset ends all tokens. */
export function isOfPart({ hasConnected, milestone, isOver }: LetterStage): boolean {
  return hasConnected && milestone !== 'sunset' && !isOver;
}

/** How many of the waiting tokens the retirement ends, or has ended. */
export function takenOf(one: LetterStage): number {
  return Math.max(0, waitingOf(one) - one.refusedAnyway);
}

/** Whether a token of an app lately made a call that only the old API answers. */
function callsElsewhere(part: AppPart, { now }: LetterReader): boolean {
  return part.role === 'owner' && part.passedAt !== undefined && now - part.passedAt <= USED_WITHIN;
}

/**
 * Whether all waiting tokens are refused already, and the date ends nothing else. For an owner, the sunset also ends
 * connected tokens, and other dates end calls that only the old API answers.
 */
export function isRefused(one: LetterStage, reader: LetterReader): boolean {
  if (waitingOf(one) === 0 || workingOf(one) > 0) return false;
  if (one.part.role === 'holder') return true;
  return one.milestone === 'sunset' ? one.part.tokens.active === 0 : !callsElsewhere(one.part, reader);
}

/** Whether the tokens were refused before the retirement that the reminder counts down to. */
function isTakenBefore(one: LetterStage, reader: LetterReader): boolean {
  return one.milestone === 'retirement' && takenOf(one) === 0 && isRefused(one, reader);
}

/** The kind of a reminder at a moment. */
export function reminderKindOf(one: LetterStage, reader: LetterReader): ReminderKind {
  const { stage, at = Infinity } = one;
  const event = EVENT_STAGES.find((name) => name === stage);
  if (event) return event;
  if (at <= reader.now && !isTakenBefore(one, reader)) return 'past';
  if (isRefused(one, reader)) return 'refused';
  return at === Infinity ? 'waits' : 'ahead';
}

/** Two times may be Infinity; their difference is not a number. */
const byTime = (one: number, other: number) => (one === other ? 0 : one - other);

/** The date of a reminder, or the time of its event. */
const timeOf = (one: LetterStage) => one.at ?? happenedAt(one) ?? Infinity;

/**
 * The reminders, the most urgent first. Two reminders of one kind are ordered by time, then holder before owner, then
 * by the number of waiting tokens.
 */
export function byReminderUrgency(due: readonly LetterStage[], reader: LetterReader): LetterStage[] {
  const rank = (one: LetterStage) => ORDER.indexOf(reminderKindOf(one, reader));
  return due.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byTime(timeOf(a), timeOf(b)) ||
      Number(a.role === 'owner') - Number(b.role === 'owner') ||
      waitingOf(b) - waitingOf(a),
  );
}

/** `stops working in 14 days`, `has stopped working`. */
export function stopWords(at: number, reader: LetterReader, isMany = false): string {
  if (at <= reader.now) return isMany ? 'have stopped working' : STANDING_WORDS.stopped.headline;
  return `${isMany ? 'stop' : 'stops'} working ${inDays(at, reader)}`;
}

/** The time of the event of a `died` or `woken` stage, which stands in `plannedFor`. */
export function happenedAt({ plannedFor }: DueStage): number | undefined {
  const at = plannedFor === '' ? Number.NaN : Number(plannedFor);
  return Number.isNaN(at) ? undefined : at;
}

/** The reason for a mail that support asked for. */
export const ASKED = 'our support team had it sent to you.';

/**
 * What a date ends for an owner: `12 tokens of its users stop working in 14 days`, or only calls when the date ends no
 * waiting token.
 */
export function endingWords(one: LetterStage, at: number, reader: LetterReader): string {
  const tokens = takenOf(one);
  if (tokens === 0) return `some of its calls ${stopWords(at, reader, true)}`;
  return `${letterCountWords(tokens, 'token')} of its users ${stopWords(at, reader, tokens !== 1)}`;
}
