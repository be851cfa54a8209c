import { type Insertable, type Selectable, sql, type SqlBool } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { WebhookKind, WebhookTables } from '../tables/webhooks.ts';

/** Webhooks: web addresses outside that are told of events. */

export type { WebhookKind };
export type WebhookRow = Selectable<WebhookTables['webhooks']>;
type NewWebhook = Insertable<WebhookTables['webhooks']>;

/** Whose webhooks are asked for: those of one app, of support or of the operator. */
export interface WebhookOwner {
  kind: WebhookKind;
  clientId: string | null;
}

const ofOwner = (db: Database, { kind, clientId }: WebhookOwner) =>
  db
    .selectFrom('webhooks')
    .where('kind', '=', kind)
    .$if(clientId !== null, (query) => query.where('client_id', '=', clientId));

/** The webhooks of an owner, the oldest first. */
export async function listWebhooks(db: Database, owner: WebhookOwner): Promise<WebhookRow[]> {
  return ofOwner(db, owner).selectAll().orderBy('created_at').orderBy('id').execute();
}

/** A webhook by its id, whoever owns it. */
export async function readWebhook(db: Database, id: string): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whether there is any webhook at all. */
export async function hasWebhooks(db: Database): Promise<boolean> {
  return (await db.selectFrom('webhooks').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** The webhooks of a retired app are told nothing: its owner has no page any more on which to look at the app or the webhook. */
const isOfRetiredApp = sql<SqlBool>`exists (select 1 from apps as a
  where a.client_id = webhooks.client_id and a.retired_at is not null)`;

/** Whether a webhook is one of a retired app. */
export async function isWebhookOfRetired(db: Database, id: string): Promise<boolean> {
  const row = db.selectFrom('webhooks').select('id').where('id', '=', id).where(isOfRetiredApp);
  return (await row.executeTakeFirst()) !== undefined;
}

/** The webhooks that are told of an event. `events` holds names with blanks between. */
export async function listWebhooksFor(
  db: Database,
  event: string,
): Promise<Array<Pick<WebhookRow, 'id' | 'kind' | 'client_id' | 'created_at'>>> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['id', 'kind', 'client_id', 'created_at', 'events'])
    .where('events', 'like', `%${event}%`)
    .where((eb) => eb.not(isOfRetiredApp))
    .orderBy('id')
    .execute();
  return rows.filter(({ events }) => events.split(' ').includes(event));
}

/** Adds a webhook. */
export async function insertWebhook(tx: Database, webhook: NewWebhook): Promise<void> {
  await tx.insertInto('webhooks').values(webhook).execute();
}

/**
 * Locks a webhook, before a transaction writes its messages or secrets: a claim locks the webhook and then a message too,
 * and in another order the two would wait for each other. SQLite runs writing transactions one after the other.
 */
export async function lockWebhook(tx: Database, id: string): Promise<void> {
  if (isSqlite(tx)) return;
  await tx.selectFrom('webhooks').select('id').where('id', '=', id).forUpdate().execute();
}

/** Removes a webhook with its secrets and messages; false where another process was faster. */
export async function deleteWebhook(tx: Database, id: string): Promise<boolean> {
  await tx.deleteFrom('webhook_deliveries').where('webhook_id', '=', id).execute();
  await tx.deleteFrom('webhook_secrets').where('webhook_id', '=', id).execute();
  const result = await tx.deleteFrom('webhooks').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Keeps that the receiver took a message. */
export async function keepSuccess(
  db: Database,
  id: string,
  { isSlow, now }: { isSlow: boolean; now: number },
): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ failures: 0, rest_until: 0, is_slow: isSlow ? 1 : 0, tried_at: now })
    .where('id', '=', id)
    .execute();
}

/** An attempt without success. */
interface FailedAttempt {
  /** The failures as read before the attempt. When there are fewer now, a person ended the rest meanwhile. */
  known: number;
  /** Whether the failures before still count: they and this attempt stand in a row. */
  goesOn: boolean;
  /** How many failures this attempt adds. */
  added: 0 | 1;
  restUntil: number;
  now: number;
}

/** Counts an attempt without success; how many there are in a row now, or undefined where the webhook was removed. */
export async function keepFailure(
  db: Database,
  id: string,
  { known, goesOn, added, restUntil, now }: FailedAttempt,
): Promise<number | undefined> {
  const row = await db
    .updateTable('webhooks')
    .set((eb) => ({
      failures: goesOn ? eb('failures', '+', added) : added,
      rest_until: sql<number>`case when failures < ${known} then rest_until else ${restUntil} end`,
      is_slow: 1,
      tried_at: now,
    }))
    .where('id', '=', id)
    .returning('failures')
    .executeTakeFirst();
  return row?.failures;
}

/** A person wants the next attempt now, and has seen to the receiver: what failed before counts no more. */
export async function endReceiverRest(tx: Database, id: string): Promise<void> {
  await tx.updateTable('webhooks').set({ rest_until: 0, failures: 0 }).where('id', '=', id).execute();
}

/** Counts messages that were left out because too many waited. */
export async function countLeftOut(tx: Database, id: string, count: number): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set((eb) => ({ left_out: eb('left_out', '+', count) }))
    .where('id', '=', id)
    .execute();
}
