import { expressionBuilder, type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
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

/** Whether a message of the webhook of this row is under way. */
const isUnderWay = (webhookId: RawBuilder<string>, now: number) =>
  sql<SqlBool>`exists (select 1 from webhook_deliveries as o where o.webhook_id = ${webhookId}
    and o.state = 'sending' and o.next_at > ${now})`;

/** The webhook that has waited longest. One with a message under way, or at rest, gets none. */
const nextWebhook = (db: Database, { now, isSlow }: Claim) =>
  db
    .selectFrom('webhooks as w')
    .select('w.id')
    .where('w.is_slow', '=', isSlow ? 1 : 0)
    .where('w.rest_until', '<=', now)
    .where(
      sql<SqlBool>`exists (select 1 from webhook_deliveries as d where d.webhook_id = w.id
        and d.state in ('due', 'sending') and d.next_at <= ${now})`,
    )
    .where(sql<SqlBool>`not ${isUnderWay(sql.ref('w.id'), now)}`)
    .orderBy('w.tried_at')
    .orderBy('w.id')
    .limit(1);

type ChosenWebhook = string | ReturnType<typeof nextWebhook>;

/** Claims the oldest message of a webhook that is due, unless one of its messages is under way. */
async function claimOf(
  db: Database,
  { claimId, now, until, instance }: Claim,
  webhook: ChosenWebhook,
): Promise<ClaimedDelivery | undefined> {
  const oldest = db
    .selectFrom('webhook_deliveries as d')
    .select('d.id')
    .where('d.webhook_id', '=', webhook)
    .where(sql<SqlBool>`d.state in ('due', 'sending')`)
    .where('d.next_at', '<=', now)
    .orderBy('d.next_at')
    .orderBy('d.id')
    .limit(1);
  const row = await db
    .updateTable('webhook_deliveries')
    .set((eb) => ({
      state: 'sending',
      claim_id: claimId,
      claimed_at: now,
      next_at: until,
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', '=', oldest)
    .where(IS_OPEN)
    .where('next_at', '<=', now)
    .where(sql<SqlBool>`not ${isUnderWay(sql.ref('webhook_deliveries.webhook_id'), now)}`)
    .where(isOriginal(instance)(expressionBuilder<Tables, 'grants'>()))
    .returningAll()
    .executeTakeFirst();
  return row && { ...row, claim_id: claimId };
}

/** A webhook was chosen, but a claim of its last message had committed in between. */
const TAKEN = 'taken';

/**
 * The lock on the webhook lets one claim of its messages in at a time, and the second statement sees what the claim before
 * it committed. One statement alone would look for messages under way in a snapshot from before that commit. The lock
 * leaves room for new messages, which refer to the webhook.
 */
async function claimUnderLock(
  tx: Database,
  claim: Claim,
): Promise<ClaimedDelivery | typeof TAKEN | undefined> {
  const chosen = await nextWebhook(tx, claim).forNoKeyUpdate().skipLocked().executeTakeFirst();
  if (!chosen) return undefined;
  return (await claimOf(tx, claim, chosen.id)) ?? TAKEN;
}

/** So often a claim looks for another webhook when the chosen one was taken. On a copy none is ever had. */
const TRIES = 3;

/** Whether any message is due. Mostly none is, and this one look into an index spares the look at every webhook. */
async function isAnyDue(db: Database, now: number): Promise<boolean> {
  const due = db.selectFrom('webhook_deliveries').select('id').where(IS_OPEN).where('next_at', '<=', now);
  return (await due.limit(1).executeTakeFirst()) !== undefined;
}

/** Claims the next message that is due, also one whose process died at its attempt. */
export async function claimDelivery(db: Database, claim: Claim): Promise<ClaimedDelivery | undefined> {
  if (!(await isAnyDue(db, claim.now))) return undefined;
  // SQLite runs writing statements one after the other.
  if (isSqlite(db)) return claimOf(db, claim, nextWebhook(db, claim));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const transaction = db.transaction().setIsolationLevel('read committed');
    const claimed = await transaction.execute((tx) => claimUnderLock(tx, claim));
    if (claimed !== TAKEN) return claimed;
  }
  return undefined;
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

/** Which messages are given up, and why. */
interface TooOld {
  webhookId: string;
  /** The failures in a row that decided it. When there are fewer now, a person has sent a message again. */
  failures: number;
  before: number;
  now: number;
  why: string;
}

/** Gives up the messages of a webhook that wait since before a moment; how many. One that was never tried says why. */
export async function giveUpOlder(
  db: Database,
  { webhookId, failures, before, now, why }: TooOld,
): Promise<number> {
  const result = await db
    .updateTable('webhook_deliveries')
    .set((eb) => ({ state: 'dead', ended_at: now, failure: eb.fn.coalesce('failure', eb.val(why)) }))
    .where('webhook_id', '=', webhookId)
    .where(IS_OPEN)
    .where('state', '=', 'due')
    .where('created_at', '<', before)
    .where(
      sql<SqlBool>`exists (select 1 from webhooks as w where w.id = ${webhookId} and w.failures >= ${failures})`,
    )
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
