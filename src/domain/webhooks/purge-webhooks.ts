import { DAY } from '../../shared/lifetimes.ts';
import {
  deleteDeliveriesBefore,
  deleteDeliveriesBeyond,
  webhooksBeyond,
} from '../../store/webhooks/listed-deliveries.ts';
import { deleteEndedWebhookSecrets } from '../../store/webhooks/secrets.ts';
import { inPieces } from '../work/in-pieces.ts';
import type { WebhooksDeps } from './deps.ts';
import { TIMED_EVENTS, WAITING_MAX } from './message.ts';

/** How long messages are shown that arrived or were given up; and how many of one webhook at most. */
const DELIVERIES_KEPT = 30 * DAY;
const KEPT_MAX = 2 * WAITING_MAX;
/** Longer than what time causes is news, because its row is what tells that it was told. */
const TIMED_KEPT = 3 * DAY;

/** Removes messages that nobody needs any more, and secrets that sign no more. */
export async function purgeWebhooks({ store, clock, shutdown }: WebhooksDeps): Promise<void> {
  const { durable } = store;
  const now = clock.now();
  const options = { stopping: shutdown.signal };
  const spared = { events: TIMED_EVENTS, since: now - TIMED_KEPT };
  await inPieces(options, (piece) => deleteDeliveriesBefore(durable, now - DELIVERIES_KEPT, piece));
  for (const id of await webhooksBeyond(durable, KEPT_MAX))
    await deleteDeliveriesBeyond(durable, id, { kept: KEPT_MAX, spared });
  await deleteEndedWebhookSecrets(durable, now);
}
