import { sql, type SqlBool } from 'kysely';
import { erasePiece, FIRST_PIECE, type PieceResult } from '../driver/pieces.ts';
import { isRested } from './presentations.ts';
import { builtOnce } from '../driver/built-once.ts';
import type { Database, Store } from '../driver/store.ts';
import type { DeathCause, Grant, GrantVersion, NewGrant } from '../tables/tables.ts';

/**
 * The rows of grants (docs/decisions/0002): their lives, the main API's answers about their access tokens, and the
 * lists of grants that wait for a look. presentations.ts has the presentation of a version.
 */

/** Keeps a new grant as `ready`. */
export async function insertGrant(tx: Database, grant: NewGrant): Promise<void> {
  await tx.insertInto('grants').values(grant).execute();
}

const byId = builtOnce((db: Database, { id }: Pick<Grant, 'id'>) =>
  db.selectFrom('grants').selectAll().where('id', '=', id).compile(),
);

/** A grant by id. */
export async function findGrant(db: Database, id: string): Promise<Grant | undefined> {
  return (await byId(db, { id })).rows[0];
}

/** What the storing of a next pair must know of the grant. */
export type RotatingGrant = Pick<Grant, 'id' | 'client_id' | 'account_id' | 'version' | 'doubt_since'>;

const rotating = builtOnce((db: Database, { id }: Pick<Grant, 'id'>) =>
  db
    .selectFrom('grants')
    .select(['id', 'client_id', 'account_id', 'version', 'doubt_since'])
    .where('id', '=', id)
    .compile(),
);

/** A grant whose next pair is stored. */
export async function findRotating(tx: Database, id: string): Promise<RotatingGrant | undefined> {
  return (await rotating(tx, { id })).rows[0];
}

const LIVE = "select 1 from grants where id = $1 and state <> 'dead'";

/** Whether a grant lives, as far as it is committed. */
export async function isAlive(store: Store, id: string): Promise<boolean> {
  return (await store.first(LIVE, [id])) !== undefined;
}

type GrantHolder = Record<'clientId' | 'accountId', string>;

const liveGrantOf = (db: Database, { clientId, accountId }: GrantHolder) =>
  db
    .selectFrom('grants')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('state', '<>', sql.lit('dead'));

const liveOf = builtOnce((db: Database, holder: GrantHolder) =>
  liveGrantOf(db, holder).selectAll().compile(),
);

/** The one live grant of an app and account. */
export async function findLiveGrant(
  db: Database,
  clientId: string,
  accountId: string,
): Promise<Grant | undefined> {
  return (await liveOf(db, { clientId, accountId })).rows[0];
}

const liveIdOf = builtOnce((db: Database, holder: GrantHolder) =>
  liveGrantOf(db, holder).select('id').compile(),
);

/** The id of the one live grant of an app and account. */
export async function findLiveGrantId(
  db: Database,
  clientId: string,
  accountId: string,
): Promise<string | undefined> {
  return (await liveIdOf(db, { clientId, accountId })).rows[0]?.id;
}

/**
 * How many other grants of the same account and the same client live at the new API. A pair that was handed over lives
 * there too, with another holder, so it counts, even when it is the given grant.
 */
export async function countSiblings(
  db: Database,
  grant: Pick<Grant, 'id' | 'account_id' | 'modern_client_id'>,
): Promise<number> {
  const row = await db
    .selectFrom('grants')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('account_id', '=', grant.account_id)
    .where('modern_client_id', '=', grant.modern_client_id)
    .where((eb) =>
      eb.or([
        eb('state', '<>', 'dead').and('id', '<>', grant.id),
        eb('state', '=', 'dead').and('dead_cause', '=', 'handed_over'),
      ]),
    )
    .executeTakeFirstOrThrow();
  return row.n;
}

/** The current access token was refused, so it is not used any more. */
export async function expireAccessToken(
  db: Database,
  { id, version }: GrantVersion,
  now: number,
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ access_expires_at: now, refresh_at: now })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('access_expires_at', '>', now)
    .execute();
}

/** A fresh access token was refused: the main API is not asked for this grant before the given time. */
export async function markSuspect(db: Database, id: string, until: number): Promise<void> {
  await db
    .updateTable('grants')
    .set((eb) => ({ suspect_count: eb('suspect_count', '+', 1), suspect_until: until }))
    .where('id', '=', id)
    .execute();
}

/** The main API accepted an access token of this grant again. */
export async function clearSuspicion(db: Database, id: string): Promise<void> {
  await db.updateTable('grants').set({ suspect_count: 0, suspect_until: 0 }).where('id', '=', id).execute();
}

interface Death {
  cause: DeathCause;
  now: number;
  /** True: erased at once, because nobody needs the pair again. False: kept for support, and erased by the purge. */
  eraseTokens: boolean;
}

/** Which grant to end: always, only at a version, or only while one presentation of the grant is still in doubt. */
interface GrantEnd {
  id: string;
  version?: number;
  doubtedClaim?: string | null;
}

/** Ends a grant under the given conditions; false when the conditions do not hold. */
export async function markDead(
  tx: Database,
  { id, version, doubtedClaim }: GrantEnd,
  { cause, now, eraseTokens }: Death,
): Promise<boolean> {
  let query = tx
    .updateTable('grants')
    .set({ state: 'dead', dead_cause: cause, dead_at: now, updated_at: now })
    .where('id', '=', id)
    .where('state', '<>', 'dead');
  if (version !== undefined) query = query.where('version', '=', version);
  if (doubtedClaim !== undefined) {
    query = query.where('state', '=', 'in_doubt').where('claim_id', 'is not distinct from', doubtedClaim);
  }
  if (eraseTokens) query = query.set({ access_token_sealed: null, refresh_token_sealed: null });
  return (await query.executeTakeFirst()).numUpdatedRows === 1n;
}

/** Ends a grant whose consent never led to a code or a token. */
export async function endUnused(tx: Database, id: string, now: number): Promise<boolean> {
  const ended = { state: 'dead', dead_cause: 'unfinished', dead_at: now, updated_at: now } as const;
  const result = await tx
    .updateTable('grants')
    .set({ ...ended, access_token_sealed: null, refresh_token_sealed: null })
    .where('id', '=', id)
    .where('state', '<>', 'dead')
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('mappings').select('id').whereRef('grant_id', '=', 'grants.id'))),
    )
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom('legacy_codes').select('code_digest').whereRef('grant_id', '=', 'grants.id')),
      ),
    )
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Erases a piece of the sealed pairs of grants that died before the given time. */
export function eraseDeadBefore(db: Database, time: number, piece = FIRST_PIECE): Promise<PieceResult> {
  const which = sql<SqlBool>`state = 'dead' and dead_at < ${time} and refresh_token_sealed is not null`;
  const columns = ['access_token_sealed', 'refresh_token_sealed'];
  return erasePiece(db, { table: 'grants', key: 'id', by: 'dead_at', which, columns }, piece);
}

interface DeathQuery {
  causes: readonly DeathCause[];
  until: number;
  limit: number;
}

/**
 * When the last grants died of these causes, newest first. A date after `until` comes from a wrong clock and is left
 * out.
 */
export async function listDeathTimes(db: Database, { causes, until, limit }: DeathQuery): Promise<number[]> {
  const rows = await db
    .selectFrom('grants')
    .select('dead_at')
    .where('state', '=', 'dead')
    .where('dead_cause', 'in', causes)
    .where('dead_at', '<=', until)
    .orderBy('dead_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => row.dead_at ?? 0);
}

/**
 * Grants that are due and whose last presentation has no outcome yet, in the order in which their rests ended: one that
 * cannot be settled goes behind the others after each look. The many grants that a take-over put in doubt are left out
 * (restored.ts).
 */
export async function listUnsettled(
  db: Database,
  { now, limit }: { now: number; limit: number },
): Promise<Grant[]> {
  return (
    db
      .selectFrom('grants')
      .selectAll()
      // Repeats the condition of the index, because SQLite uses a partial index only for the same condition.
      .where(sql<boolean>`state in ('presenting', 'in_doubt')`)
      .where((eb) => eb.or([eb('state', '=', sql.lit('presenting')), eb('restored_at', 'is', null)]))
      .where(isRested(now))
      .orderBy('retry_at')
      .orderBy('presented_at')
      .limit(limit)
      .execute()
  );
}

/**
 * Ready grants that are due and whose pair is older than the given time: up to `limit` that no attempt has put off, oldest
 * pair first, and up to `limit` that one has, oldest rest first. A grant that fails again and again keeps its old pair. With
 * turns of their own such grants take none of the others, and among themselves each has its turn.
 */
export async function listIdle(
  db: Database,
  { before, now, limit }: { before: number; now: number; limit: number },
): Promise<Grant[]> {
  const idle = db
    .selectFrom('grants')
    .selectAll()
    // SQLite uses a partial index only for its own condition, so the values stand in the text.
    .where('state', '=', sql.lit('ready'))
    .where('rotated_at', '<=', before)
    .limit(limit);
  const untried = idle.where('retry_at', '=', sql.lit(0)).orderBy('rotated_at');
  const putOff = idle.where('retry_at', '>', sql.lit(0)).where(isRested(now)).orderBy('retry_at');
  return [...(await untried.execute()), ...(await putOff.execute())];
}
