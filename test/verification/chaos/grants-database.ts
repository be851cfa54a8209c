import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Standing } from './record.ts';

/** What the chaos reads of the database by itself: an older schema has it too. */
export interface GrantsDatabase {
  /** How the grants of an app stand now. */
  standingOf(clientId: string): Promise<Standing>;
  /** How many grants are neither ready nor dead. */
  openGrants(): Promise<number>;
  /** Connections to the database, and its size. */
  figures(): Promise<{ connections: number; bytes: number }>;
  close(): Promise<void>;
}

const PATIENCE_MS = 20_000;

/** So many lost answers hold back every other refresh (docs/guarantees.md, lost answers are bounded). */
const HELD_BACK_FROM = 5;

interface Row {
  state: string;
  presented_at: string | null;
}

function standingFrom(rows: readonly Row[], isHeldBack: boolean): Standing {
  const open = rows.find(({ state }) => state === 'presenting' || state === 'in_doubt');
  return {
    presentedAt: open === undefined ? undefined : Number(open.presented_at),
    isDead: rows.every(({ state }) => state === 'dead'),
    isHeldBack,
  };
}

/** Opens a small pool of its own. */
export function openGrantsDatabase(url: string): GrantsDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  /** PostgreSQL is restarted now and then. */
  async function ask<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    for (const until = Date.now() + PATIENCE_MS; ; await delay(100))
      try {
        return (await pool.query<T>(text, values)).rows;
      } catch (error) {
        if (Date.now() > until) throw error;
      }
  }
  const database: GrantsDatabase = {
    async standingOf(clientId) {
      const rows = await ask<Row>('select state, presented_at from grants where client_id = $1', [clientId]);
      return standingFrom(rows, (await database.openGrants()) >= HELD_BACK_FROM);
    },
    async openGrants() {
      const [row] = await ask<{ n: number }>(
        "select count(*)::int as n from grants where state in ('presenting', 'in_doubt')",
      );
      return row?.n ?? 0;
    },
    async figures() {
      const [row] = await ask<{ connections: number; bytes: string }>(
        'select (select count(*)::int from pg_stat_activity where client_addr is not null) as connections, pg_database_size(current_database()) as bytes',
      );
      return { connections: row?.connections ?? 0, bytes: Number(row?.bytes ?? 0) };
    },
    close: () => pool.end(),
  };
  return database;
}
