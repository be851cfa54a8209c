import { countGrantStates } from '../../store/grants/grant-states.ts';
import { countStates } from '../../store/progress/progress.ts';
import type { Database } from '../../store/driver/store.ts';
import type { GrantState, MappingState } from '../../store/tables/tables.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';

/** On SQLite a statement blocks the whole process while it runs: a piece of this many rows takes a few milliseconds. */
const ROWS_AT_ONCE = 2000;

/** Every state, so that a state without a row counts as 0 and not as unknown. */
const MAPPING_STATES: Record<MappingState, 0> = {
  unmapped: 0,
  active: 0,
  reauthorization_required: 0,
  revoked: 0,
  migrated: 0,
};
const GRANT_STATES: Record<GrantState, 0> = { ready: 0, presenting: 0, in_doubt: 0, dead: 0 };

type CountPiece = (
  db: Database,
  piece: { after: string; size: number },
) => Promise<{ rows: ReadonlyArray<{ state: string; n: number }>; next: string | undefined }>;

async function countInPieces(
  db: Database,
  states: Record<string, 0>,
  countPiece: CountPiece,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>(Object.entries(states));
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows, next }: Awaited<ReturnType<CountPiece>> = await countPiece(db, {
      after,
      size: ROWS_AT_ONCE,
    });
    for (const { state, n } of rows) counts.set(state, (counts.get(state) ?? 0) + n);
    after = next;
    await yieldToEventLoop();
  }
  return counts;
}

/** How many tokens are in each state, counted in pieces. */
export const countMappingsByState = (db: Database) => countInPieces(db, MAPPING_STATES, countStates);

/** How many grants are in each state, counted in pieces. */
export const countGrantsByState = (db: Database) => countInPieces(db, GRANT_STATES, countGrantStates);
