import type { Due, Part } from '../people.ts';
import { USED_WITHIN } from '../plan-stages.ts';
import { countWords, inDays, type Reader } from './moments.ts';

/** What kind of reminder a stage is, and how it is said in one line. */

/** `refused`: a date is ahead, and ends nothing that is not refused already; `waits`: no date is set at all. */
export type Kind = 'died' | 'past' | 'refused' | 'ahead' | 'waits' | 'woken' | 'unused';

/** What asks the most comes first. */
const ORDER: readonly Kind[] = ['died', 'past', 'refused', 'ahead', 'waits', 'woken', 'unused'];

/** A reminder that is due, as a mail tells of it. */
export interface Told extends Due {
  /** How many of the tokens that wait are refused already, whatever the date. */
  refused: number;
}

const waitingOf = ({ part }: Told) => (part.role === 'holder' ? part.waiting : part.tokens.waiting);

/** The waiting tokens that still work. */
export function workingOf(one: Told): number {
  return Math.max(0, waitingOf(one) - one.refused);
}

/** Whether some token of an app called lately what the old backend alone answers. */
function callsElsewhere(part: Part, { now }: Reader): boolean {
  return part.role === 'owner' && part.passedAt !== undefined && now - part.passedAt <= USED_WITHIN;
}

/** Whether no waiting token works, so that no date takes anything from them; a sunset takes all else from an owner's app. */
export function isRefused(one: Told, reader: Reader): boolean {
  if (waitingOf(one) === 0 || workingOf(one) > 0) return false;
  return one.role === 'holder' || (one.milestone !== 'sunset' && !callsElsewhere(one.part, reader));
}

/** The kind of a reminder at a moment. */
export function kindOf(one: Told, reader: Reader): Kind {
  const { stage, at = Infinity } = one;
  if (stage === 'died' || stage === 'woken' || stage === 'unused') return stage;
  if (at <= reader.now) return 'past';
  if (isRefused(one, reader)) return 'refused';
  return at === Infinity ? 'waits' : 'ahead';
}

/** The reminders, the most urgent first. */
export function byUrgency(due: readonly Told[], reader: Reader): Told[] {
  const rank = (one: Told) => ORDER.indexOf(kindOf(one, reader));
  return due.toSorted((a, b) => rank(a) - rank(b) || (a.at ?? Infinity) - (b.at ?? Infinity));
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
  const tokens = at <= reader.now ? waitingOf(one) : workingOf(one);
  if (tokens === 0) return `some of its calls ${stopWords(at, reader, true)}`;
  return `${countWords(tokens, 'token')} of its users ${stopWords(at, reader, tokens !== 1)}`;
}
