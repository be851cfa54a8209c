import type { Insertable } from 'kysely';
import { DAY } from '../shared/lifetimes.ts';
import { dayOf } from '../shared/moments.ts';
import { type TokenNumbers, NOTHING_COUNTED } from '../store/progress/progress.ts';
import type { Tables } from '../store/tables/tables.ts';
import { type SeededPair, stateAt } from './life.ts';

/** The token counts of each app at the end of each of the last days. Today is left to the progress job. */

type Row = Insertable<Tables['progress']>;

const DAYS = 60;

function standAt(pairs: readonly SeededPair[], at: number): Omit<Row, 'client_id' | 'day'> {
  const counts = { unmapped: 0, active: 0, reauthorization_required: 0, revoked: 0, migrated: 0 };
  const waiting = new Set<string>();
  for (const pair of pairs)
    for (const token of pair.tokens) {
      const state = stateAt(token, at) ?? 'unmapped';
      counts[state] += 1;
      const person = pair.accountId ?? pair.email;
      if (person !== null && (state === 'unmapped' || state === 'reauthorization_required'))
        waiting.add(person);
    }
  return { ...counts, waiting_people: waiting.size };
}

/** The rows of one app. A day with the same counts as the day before has no row. */
export function progressRows(clientId: string, pairs: readonly SeededPair[], now: number): Row[] {
  const own = pairs.filter((pair) => pair.clientId === clientId);
  const today = now - (now % DAY);
  const rows: Row[] = [];
  let before = '';
  for (let ago = DAYS; ago >= 1; ago--) {
    const end = today - (ago - 1) * DAY - 1;
    const stand = standAt(own, end);
    const text = JSON.stringify(stand);
    if (text !== before) rows.push({ client_id: clientId, day: dayOf(end), ...stand });
    before = text;
  }
  return rows;
}

function sumOf(rows: readonly TokenNumbers[]): TokenNumbers {
  const sum = { ...NOTHING_COUNTED };
  for (const row of rows)
    for (const column of Object.keys(NOTHING_COUNTED) as Array<keyof TokenNumbers>)
      sum[column] += row[column];
  return sum;
}

/** The sums over all apps, for each day up to yesterday. A row says that the tokens were counted on its day. */
export function progressOfAllRows(
  rows: readonly Row[],
  now: number,
): Array<Insertable<Tables['progress_of_all']>> {
  const newest = new Map<string, Row>();
  const days = Array.from({ length: DAYS }, (_, index) => dayOf(now - (DAYS - index) * DAY));
  return days.map((day) => {
    for (const row of rows) if (row.day === day) newest.set(row.client_id, row);
    return { day, ...sumOf([...newest.values()]) };
  });
}
