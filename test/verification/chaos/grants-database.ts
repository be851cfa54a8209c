import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Standing } from './record.ts';

/** What the chaos reads of the database by itself: an older schema has it too. */
export interface GrantsDatabase {
  /** How the grants of an app stand now, and whether one lived all through the time of a call. */
  standingOf(clientId: string, call?: CallTime): Promise<Standing>;
  /** How many grants are neither ready nor dead. */
  openGrants(): Promise<number>;
  /** Connections to the database, and its size. */
  figures(): Promise<{ connections: number; bytes: number }>;
  close(): Promise<void>;
}

const PATIENCE_MS = 20_000;

/** So many lost answers hold back every other refresh (docs/guarantees.md, lost answers are bounded). */
const HELD_BACK_FROM = 5;

interface CallTime {
  startedAt: number;
  endedAt: number;
}

/** Of a grant. Times are those of the bridge that wrote them. */
export interface GrantLife {
  state: string;
  presented_at: string | null;
  created_at: string;
  dead_at: string | null;
  dead_cause: string | null;
}

/** A grant has the time at which its transaction began, and is seen when that ends: not at once on a busy machine. */
const SEEN_WITHIN_MS = 1000;

/** The one before lives until both changes are seen. */
const isReplacement = (rows: readonly GrantLife[], { created_at: at }: GrantLife) =>
  rows.some(({ dead_at, dead_cause }) => dead_cause === 'replaced' && dead_at === at);

/**
 * Whether no grant of an app lived at some moment of a call: one had ended, and the person had not connected the app
 * anew. A grant that a new one replaces leaves no such moment.
 */
export function hadNoGrant(rows: readonly GrantLife[], { startedAt, endedAt }: CallTime): boolean {
  const lives = rows.map((row) => ({
    from: Number(row.created_at) + (isReplacement(rows, row) ? 0 : SEEN_WITHIN_MS),
    until: row.dead_at === null ? Number.POSITIVE_INFINITY : Number(row.dead_at),
    isReplaced: row.dead_cause === 'replaced',
  }));
  return lives
    .filter(({ isReplaced, until }) => !isReplaced && until <= endedAt)
    .map(({ until }) => Math.max(until, startedAt))
    .some((moment) => lives.every(({ from, until }) => until <= moment || from > moment));
}

function standingFrom(rows: readonly GrantLife[], isHeldBack: boolean): Standing {
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
    async standingOf(clientId, call) {
      const rows = await ask<GrantLife>(
        'select state, presented_at, created_at, dead_at, dead_cause from grants where client_id = $1',
        [clientId],
      );
      const standing = standingFrom(rows, (await database.openGrants()) >= HELD_BACK_FROM);
      return call && hadNoGrant(rows, call) ? { ...standing, isDead: true } : standing;
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
