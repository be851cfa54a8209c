import { sql, type SqlBool } from 'kysely';
import { deletePiece, type Piece, type PieceResult } from '../driver/pieces.ts';
import type { Database } from '../driver/store.ts';
import type { WebhookDeliveryState } from '../tables/webhooks.ts';
import type { DeliveryRow } from './deliveries.ts';

/** The messages of a webhook, as people see them, send them again and as they are removed in the end. */

/** The newest messages of a webhook, of one state or of all. */
export async function listDeliveries(
  db: Database,
  webhookId: string,
  { limit, state }: { limit: number; state?: WebhookDeliveryState },
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .$if(state !== undefined, (query) => query.where('state', '=', state as WebhookDeliveryState))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** How many messages of a webhook stand in each state. */
export async function countDeliveries(
  db: Database,
  webhookId: string,
): Promise<Partial<Record<WebhookDeliveryState, number>>> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select((eb) => ['state', eb.fn.countAll<number | string>().as('n')])
    .where('webhook_id', '=', webhookId)
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
}

/** Makes a message due again that was given up; false where it was not given up, or is of another webhook. */
export async function reviveDelivery(
  tx: Database,
  { id, webhookId, now }: { id: string; webhookId: string; now: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'due', attempts: 0, next_at: now, ended_at: null })
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'dead')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Removes a piece of the messages that ended before a moment. */
export function deleteDeliveriesBefore(db: Database, time: number, piece: Piece): Promise<PieceResult> {
  const rows = { table: 'webhook_deliveries', key: 'id', by: 'ended_at' };
  return deletePiece(db, { ...rows, which: sql<SqlBool>`ended_at < ${time}` }, piece);
}

/** Which messages of a webhook are too many. */
interface Surplus {
  kept: number;
  /** Events of which a message is needed for longer: what ended after `since` stays. */
  spared: { events: readonly string[]; since: number };
}

/** Removes the ended messages of a webhook beyond its newest `kept` ones. */
export async function deleteDeliveriesBeyond(
  db: Database,
  webhookId: string,
  { kept, spared }: Surplus,
): Promise<void> {
  const oldest = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(1);
  await db
    .deleteFrom('webhook_deliveries')
    .where('webhook_id', '=', webhookId)
    .where('ended_at', 'is not', null)
    .where('id', '<=', oldest)
    .where((eb) => eb.or([eb('event', 'not in', spared.events), eb('ended_at', '<', spared.since)]))
    .execute();
}

/** Makes a message of this event due now whose last attempt failed; false where none waits for another attempt. */
export async function hastenEvent(
  tx: Database,
  { webhookId, event, now }: { webhookId: string; event: string; now: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('webhook_deliveries')
    .set({ next_at: now })
    .where('webhook_id', '=', webhookId)
    .where('event', '=', event)
    .where('state', '=', 'due')
    .where('attempts', '>', 0)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Whether a message of this event waits for a webhook. */
export async function isEventOpen(db: Database, webhookId: string, event: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('event', '=', event)
    .where('state', 'in', ['due', 'sending'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The webhooks with more messages than are kept. */
export async function webhooksBeyond(db: Database, kept: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('webhook_id')
    .groupBy('webhook_id')
    .having((eb) => eb.fn.countAll(), '>', kept)
    .execute();
  return rows.map(({ webhook_id: id }) => id);
}
