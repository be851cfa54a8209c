import type { Due } from '../people.ts';
import { type Reader, inDays } from './moments.ts';

/** What kind of reminder a stage is, and how it is said in one line. */

export type Kind = 'died' | 'past' | 'ahead' | 'woken' | 'unused';

/** What asks the most comes first. */
const ORDER: readonly Kind[] = ['died', 'past', 'ahead', 'woken', 'unused'];

/** The kind of a reminder at a moment. */
export function kindOf({ stage, at = Infinity }: Due, { now }: Reader): Kind {
  if (stage === 'died' || stage === 'woken' || stage === 'unused') return stage;
  return at <= now ? 'past' : 'ahead';
}

/** The reminders, the most urgent first. */
export function byUrgency<T extends Due>(due: readonly T[], reader: Reader): T[] {
  const rank = (one: T) => ORDER.indexOf(kindOf(one, reader));
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
