import type { UsageRow } from '../../store/usage/usage.ts';

/** The counted calls of a process that are not written yet, in sums. */

/** The most rows in memory. While the database is away, further rows are dropped. */
export const ROWS_KEPT = 60_000;

/** The key of a row. Every process writes rows in the order of these keys. */
function keyOf({ mapping_id, day, endpoint, carrier, user_agent, outcome }: UsageRow): string {
  return `${mapping_id}\n${day}\n${endpoint}\n${carrier}\n${user_agent}\n${outcome}`;
}

/** Whether two rows of one token count the same calls. */
const isSame = (one: UsageRow, other: UsageRow) =>
  one.endpoint === other.endpoint &&
  one.user_agent === other.user_agent &&
  one.carrier === other.carrier &&
  one.outcome === other.outcome &&
  one.day === other.day;

/** A token with more rows than this gets an index of them. To look through fewer costs less than to make a key. */
const ROWS_WITHOUT_INDEX = 16;

/** The waiting rows of one token. */
class TokenRows {
  #rows: UsageRow[] = [];
  #index: Map<string, UsageRow> | undefined;

  find(row: UsageRow): UsageRow | undefined {
    return this.#index ? this.#index.get(keyOf(row)) : this.#rows.find((one) => isSame(one, row));
  }

  push(row: UsageRow): void {
    this.#rows.push(row);
    if (this.#index) this.#index.set(keyOf(row), row);
    else if (this.#rows.length > ROWS_WITHOUT_INDEX)
      this.#index = new Map(this.#rows.map((one) => [keyOf(one), one]));
  }

  all = (): readonly UsageRow[] => this.#rows;

  /** Drops the rows that count nothing any more. How many are left. */
  dropEmpty(): number {
    this.#rows = this.#rows.filter((row) => {
      if (row.calls === 0) this.#index?.delete(keyOf(row));
      return row.calls > 0;
    });
    return this.#rows.length;
  }
}

/** The rows of a token in the order in which every process writes them. */
function inOrder(rows: readonly UsageRow[]): readonly UsageRow[] {
  if (rows.length < 2) return rows;
  const keys = new Map(rows.map((row) => [keyOf(row), row]));
  return [...keys.keys()].toSorted().flatMap((key) => keys.get(key) ?? []);
}

/** The rows that wait in memory, by their tokens. */
export function createWaitingRows() {
  const ofToken = new Map<string, TokenRows>();
  let size = 0;
  const rowsOf = (mappingId: string) => {
    const rows = ofToken.get(mappingId) ?? new TokenRows();
    ofToken.set(mappingId, rows);
    return rows;
  };
  const dropEmpty = (mappingId: string) => {
    const rows = ofToken.get(mappingId);
    if (!rows) return;
    const before = rows.all().length;
    const left = rows.dropEmpty();
    size -= before - left;
    if (left === 0) ofToken.delete(mappingId);
  };
  return {
    size: () => size,
    /** All rows, in the order of their tokens: every process writes them so. */
    all: () => [...ofToken.keys()].toSorted().flatMap((id) => inOrder(ofToken.get(id)?.all() ?? [])),
    /** Adds a row to the sums; false where there is no room. */
    add(row: UsageRow): boolean {
      const waiting = ofToken.get(row.mapping_id)?.find(row);
      if (waiting) {
        waiting.calls += row.calls;
        waiting.last_at = Math.max(row.last_at, waiting.last_at);
        return true;
      }
      if (size >= ROWS_KEPT) return false;
      rowsOf(row.mapping_id).push(row);
      size += 1;
      return true;
    },
    /** Takes the calls of `written`, copies of these rows, away from them. Calls that came during the write stay. */
    remove(rows: readonly UsageRow[], written: readonly UsageRow[]): void {
      for (const [at, row] of rows.entries()) row.calls -= written[at]?.calls ?? 0;
      for (const mappingId of new Set(rows.map((row) => row.mapping_id))) dropEmpty(mappingId);
    },
  };
}

export type WaitingRows = ReturnType<typeof createWaitingRows>;
