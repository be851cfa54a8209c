import { addWebhook } from '../../../src/domain/webhooks/change-webhooks.ts';
import type { WebhookOwner } from '../../../src/domain/webhooks/look-at-webhooks.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import type { System } from '../../support/bridge/system.ts';

/** Nothing listens there, and the bridge of the test may lead webhooks there. */
export const WEBHOOK_URL = 'https://127.0.0.1:9/hook';

/** A webhook with a message that was given up. */
export async function givenUpWebhook(
  { bridge: { context } }: System,
  owner: WebhookOwner,
): Promise<{ id: string; message: string }> {
  const [id, message] = [newHexId(), newHexId()];
  const events = ['token.stopped', 'queues.daily'];
  const origin = { actor: 'test', requestId: null };
  const added = await addWebhook(context, { id, owner, url: WEBHOOK_URL, events, ...origin });
  if (typeof added === 'string') throw new Error(`the webhook was refused: ${added}`);
  const now = context.clock.now();
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
