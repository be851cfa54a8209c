import type { Selectable } from 'kysely';
import type { Database } from '../driver/store.ts';
import type { WebhookTables } from '../tables/webhooks.ts';

/** The sealed secrets that messages are signed with. */

export type WebhookSecretRow = Selectable<WebhookTables['webhook_secrets']>;

/** Adds the present secret of a webhook. */
export async function insertWebhookSecret(
  tx: Database,
  secret: Omit<WebhookSecretRow, 'ends_at'>,
): Promise<void> {
  await tx.insertInto('webhook_secrets').values(secret).execute();
}

/** Whether a secret with this id was made. */
export async function hasWebhookSecret(tx: Database, id: string): Promise<boolean> {
  const row = await tx.selectFrom('webhook_secrets').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Lets the present secret end at a moment, and removes the one before it. So there are never more than two. */
export async function retireWebhookSecret(tx: Database, webhookId: string, endsAt: number): Promise<void> {
  const own = tx.deleteFrom('webhook_secrets').where('webhook_id', '=', webhookId);
  await own.where('ends_at', 'is not', null).execute();
  await tx
    .updateTable('webhook_secrets')
    .set({ ends_at: endsAt })
    .where('webhook_id', '=', webhookId)
    .execute();
}

/** The secrets that sign at this moment, the newest first. */
export async function liveWebhookSecrets(
  db: Database,
  webhookId: string,
  now: number,
): Promise<WebhookSecretRow[]> {
  return db
    .selectFrom('webhook_secrets')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .execute();
}

/** Removes the secrets that sign no more. */
export async function deleteEndedWebhookSecrets(db: Database, now: number): Promise<void> {
  await db.deleteFrom('webhook_secrets').where('ends_at', '<=', now).execute();
}
