import type { WebhookOwner } from '../../../src/domain/webhooks/look-at-webhooks.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { insertWebhook } from '../../../src/store/webhooks/webhooks.ts';
import type { System } from '../../support/bridge/system.ts';

/** Nothing listens there. Only a bridge whose settings say so leads webhooks there. */
export const WEBHOOK_URL = 'https://127.0.0.1:9/hook';

/** A webhook with a message that was given up. */
export async function givenUpWebhook(
  { bridge: { context } }: System,
  owner: WebhookOwner,
): Promise<{ id: string; message: string }> {
  const [id, message, now] = [newHexId(), newHexId(), context.clock.now()];
  const of = { kind: owner.kind, client_id: owner.clientId, url: WEBHOOK_URL, events: 'token.stopped' };
  await insertWebhook(context.store.durable, { ...of, id, made_by: 'test', created_at: now });
  await context.store.durable
    .insertInto('webhook_deliveries')
    .values({
      id: message,
      webhook_id: id,
      event: 'test',
      told: 'test',
      body: '{}',
      state: 'dead',
      next_at: now,
      created_at: now,
      ended_at: now,
    })
    .execute();
  return { id, message };
}

/** Support has no more than five. */
export async function removeSupportWebhooks({ bridge: { context } }: System): Promise<void> {
  const { durable } = context.store;
  const theirs = durable.selectFrom('webhooks').select('id').where('kind', '=', 'support');
  await durable.deleteFrom('webhook_deliveries').where('webhook_id', 'in', theirs).execute();
  await durable.deleteFrom('webhook_secrets').where('webhook_id', 'in', theirs).execute();
  await durable.deleteFrom('webhooks').where('kind', '=', 'support').execute();
}
