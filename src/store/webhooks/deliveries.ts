import { expressionBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { isOriginal, type SeenInstance } from '../instance/instance.ts';
import { insertionOf, isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Tables } from '../tables/tables.ts';
import type { WebhookTables } from '../tables/webhooks.ts';

/** Messages to webhooks. One process claims a message for each attempt; the outcome is conditional on that claim. */

export type DeliveryRow = Selectable<WebhookTables['webhook_deliveries']>;

/** A message that one process has claimed. */
export interface ClaimedDelivery extends DeliveryRow {
  claim_id: string;
}

/** A message before its first attempt. */
export type NewDelivery = Pick<DeliveryRow, 'id' | 'webhook_id' | 'event' | 'told' | 'body' | 'created_at'>;

/** Adds messages that are due now. A message that tells a webhook the same again is left out. */
export async function insertDeliveries(tx: Database, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map((one) => ({
    ...one,
    state: 'due' as const,
    attempts: 0,
    next_at: one.created_at,
  }));
  await sql`${insertionOf(tx, 'webhook_deliveries', rows)} on conflict do nothing`.execute(tx);
}

/** Repeats the condition of the index, because SQLite uses a partial index only for the same condition. */
const IS_OPEN = sql<SqlBool>`state in ('due', 'sending')`;

/** How many messages of each of these webhooks wait for an attempt. */
export async function countOpen(db: Database, webhookIds: readonly string[]): Promise<Map<string, number>> {
  if (webhookIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select((eb) => ['webhook_id', eb.fn.countAll<number | string>().as('n')])
    .where('webhook_id', 'in', webhookIds)
    .where(IS_OPEN)
    .groupBy('webhook_id')
    .execute();
  return new Map(rows.map(({ webhook_id: id, n }) => [id, Number(n)]));
}

/** Whether a webhook has a message that tells this. */
export async function isTold(db: Database, webhookId: string, told: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('told', '=', told)
    .executeTakeFirst();
  return row !== undefined;
}

interface Claim {
  claimId: string;
  now: number;
  /** When the claim ends, because its process must have died. */
  until: number;
  /** Whether a receiver is claimed for that answers slowly, or has not answered yet. */
  isSlow: boolean;
  /** The database as last seen. On a copy or an older database no message is claimed. */
  instance: SeenInstance;
}

/** The message whose receiver has waited longest. A receiver with a message under way, or at rest, gets none. */
const nextDue = (db: Database, { now, isSlow }: Claim) =>
  db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .select('d.id')
    .where(sql<SqlBool>`d.state in ('due', 'sending')`)
    .where('d.next_at', '<=', now)
    .where('w.is_slow', '=', isSlow ? 1 : 0)
    .where('w.rest_until', '<=', now)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('webhook_deliveries as o')
            .select('o.id')
            .whereRef('o.webhook_id', '=', 'd.webhook_id')
            .where('o.state', '=', sql.lit('sending'))
            .where('o.next_at', '>', now),
        ),
      ),
    )
    .orderBy('w.tried_at')
    .orderBy('d.next_at')
    .orderBy('d.id')
    .limit(1)
    // SQLite runs writing statements one after the other. PostgreSQL skips a message that another process has just taken.
    .$if(!isSqlite(db), (query) => query.forUpdate('d').skipLocked());

/** Claims the next message that is due, also one whose process died at its attempt. */
export async function claimDelivery(db: Database, claim: Claim): Promise<ClaimedDelivery | undefined> {
  const { claimId, now, until, instance } = claim;
  const row = await db
    .updateTable('webhook_deliveries')
    .set((eb) => ({
      state: 'sending',
      claim_id: claimId,
      claimed_at: now,
      next_at: until,
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', '=', nextDue(db, claim))
    .where(IS_OPEN)
    .where('next_at', '<=', now)
    .where(isOriginal(instance)(expressionBuilder<Tables, 'grants'>()))
    .returningAll()
    .executeTakeFirst();
  return row && { ...row, claim_id: claimId };
}

/** What became of an attempt. */
export interface AttemptEnd {
  state: 'due' | 'delivered' | 'dead';
  now: number;
  /** When the next attempt comes, for a message that stays due. */
  nextAt: number;
  status: number | null;
  failure: string | null;
}

/** Ends an attempt; false where another process has the claim, or the webhook was removed. */
export async function endAttempt(
  db: Database,
  { id, claim_id: claimId }: ClaimedDelivery,
  { state, now, nextAt, status, failure }: AttemptEnd,
): Promise<boolean> {
  const result = await db
    .updateTable('webhook_deliveries')
    .set({
      state,
      status,
      failure,
      next_at: nextAt,
      claim_id: null,
      claimed_at: null,
      ended_at: state === 'due' ? null : now,
    })
    .where('id', '=', id)
    .where('claim_id', '=', claimId)
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
