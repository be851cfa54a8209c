import type { Due, Part } from '../people.ts';
import { USED_WITHIN } from '../plan-stages.ts';
import { countWords, inDays, type Reader } from './moments.ts';

/** What kind of reminder a stage is, and how it is said in one line. */

/** `refused`: the date ends nothing that is not refused without it, or none is set; `waits`: no date is set at all. */
export type Kind = 'died' | 'past' | 'refused' | 'ahead' | 'waits' | 'woken' | 'unused';

/** What asks the most comes first. */
const ORDER: readonly Kind[] = ['died', 'past', 'refused', 'ahead', 'waits', 'woken', 'unused'];

/** A reminder that is due, as a mail tells of it. */
export interface Told extends Due {
  /** How many of the tokens that wait are refused at this moment. */
  refused: number;
  /** How many of them no date had to end: they are refused before the retirement too. */
  refusedAnyway: number;
  /** Whether the sunset has come for the app, so that no connection helps. */
  isOver: boolean;
  /** Whether the holder has a connected token at the app too, which no retirement ends. */
  hasConnected: boolean;
}

/** How many tokens of the part wait for a connection. */
export const waitingOf = ({ part }: Told) => (part.role === 'holder' ? part.waiting : part.tokens.waiting);

/** The waiting tokens that still work. */
export function workingOf(one: Told): number {
  return Math.max(0, waitingOf(one) - one.refused);
}

/** Whether another token of the holder works beside the one whose connection has ended. */
export function hasWorkingBeside(one: Told): boolean {
  return !one.isOver && (one.hasConnected || (waitingOf(one) > 1 && workingOf(one) > 0));
}

/** Whether a date takes no more than those tokens of a holder that wait; the sunset takes them all. */
export function isOfPart({ hasConnected, milestone, isOver }: Told): boolean {
  return hasConnected && milestone !== 'sunset' && !isOver;
}

/** How many of the waiting tokens the retirement takes, or has taken. */
export function takenOf(one: Told): number {
  return Math.max(0, waitingOf(one) - one.refusedAnyway);
}

/** Whether some token of an app called lately what the old backend alone answers. */
function callsElsewhere(part: Part, { now }: Reader): boolean {
  return part.role === 'owner' && part.passedAt !== undefined && now - part.passedAt <= USED_WITHIN;
}

/** Whether no waiting token works, so that no date takes anything from them; a sunset takes what is connected from an owner's app. */
export function isRefused(one: Told, reader: Reader): boolean {
  if (waitingOf(one) === 0 || workingOf(one) > 0) return false;
  if (one.part.role === 'holder') return true;
  return one.milestone === 'sunset' ? one.part.tokens.active === 0 : !callsElsewhere(one.part, reader);
}

/** Whether what is refused is not refused because of the date of the reminder, past or ahead. */
function isTakenBefore(one: Told, reader: Reader): boolean {
  return one.milestone === 'retirement' && takenOf(one) === 0 && isRefused(one, reader);
}

/** The kind of a reminder at a moment. */
export function kindOf(one: Told, reader: Reader): Kind {
  const { stage, at = Infinity } = one;
  if (stage === 'died' || stage === 'woken' || stage === 'unused') return stage;
  if (at <= reader.now && !isTakenBefore(one, reader)) return 'past';
  if (isRefused(one, reader)) return 'refused';
  return at === Infinity ? 'waits' : 'ahead';
}

/** Infinity less itself is no number. */
const byTime = (one: number, other: number) => (one === other ? 0 : one - other);

/** When it ends or ended. */
const timeOf = (one: Told) => one.at ?? happenedAt(one) ?? Infinity;

/**
 * The reminders, the most urgent first; of two alike what stopped first or stops next, then what the person uses before what
 * others use, then the one with more tokens.
 */
export function byUrgency(due: readonly Told[], reader: Reader): Told[] {
  const rank = (one: Told) => ORDER.indexOf(kindOf(one, reader));
  return due.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byTime(timeOf(a), timeOf(b)) ||
      Number(a.role === 'owner') - Number(b.role === 'owner') ||
      waitingOf(b) - waitingOf(a),
  );
}

/** `stops working in 14 days`, `has stopped working`. */
export function stopWords(at: number, reader: Reader, isMany = false): string {
  if (at <= reader.now) return isMany ? 'have stopped working' : 'has stopped working';
  return `${isMany ? 'stop' : 'stops'} working ${inDays(at, reader)}`;
}

/** When what a `died` or `woken` stage tells of happened: it is what the stage is planned for. */
export function happenedAt({ plannedFor }: Due): number | undefined {
  const at = plannedFor === '' ? Number.NaN : Number(plannedFor);
  return Number.isNaN(at) ? undefined : at;
}

/** Why a mail comes now that support has sent. */
export const ASKED = 'our support team had it sent to you.';

/** What an owner's date takes away: `12 tokens of its users stop working in 14 days`, or only calls where no token is left. */
export function endingWords(one: Told, at: number, reader: Reader): string {
  const tokens = takenOf(one);
  if (tokens === 0) return `some of its calls ${stopWords(at, reader, true)}`;
  return `${countWords(tokens, 'token')} of its users ${stopWords(at, reader, tokens !== 1)}`;
}
