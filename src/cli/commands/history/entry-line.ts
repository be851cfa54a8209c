import { isoMoment } from '../../../shared/moments.ts';
import type { Event } from '../../../store/tables/tables.ts';

/** An entry as one line of JSON, the same in every command. */
export function entryLine({ position, id, at, ...rest }: Event): string {
  return `${JSON.stringify({ position, id, at, time: isoMoment(at), ...rest })}\n`;
}
