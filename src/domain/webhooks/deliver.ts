import { newHexId } from '../../shared/ids.ts';
import { MINUTE } from '../../shared/lifetimes.ts';
import { type ClaimedDelivery, claimDelivery } from '../../store/webhooks/deliveries.ts';
import { deliverMessage } from './deliver-one.ts';
import type { WebhooksDeps } from './deps.ts';
import type { WebhookLane } from './places.ts';

/**
 * Sends the messages to webhooks. One process claims each message before an attempt. When the process dies in between, the
 * claim ends, and the message goes out again under the same id.
 */

/** Longer than an attempt and what stands around it may take. */
const CLAIM_LIMIT = 1 * MINUTE;

const WORK = 'send-webhooks';

async function claimNext(context: WebhooksDeps, lane: WebhookLane): Promise<ClaimedDelivery | undefined> {
  const now = context.clock.now();
  const instance = context.instance.seen();
  const claim = { claimId: newHexId(), now, until: now + CLAIM_LIMIT, isSlow: lane === 'slow', instance };
  return claimDelivery(context.store.aside, claim);
}

/** Claims and sends one message in the background. Undefined where none is due. */
async function sendNext(
  context: WebhooksDeps,
  lane: WebhookLane,
): Promise<{ sent: Promise<void> } | undefined> {
  const claimedAt = context.clock.elapsed();
  const delivery = await claimNext(context, lane);
  if (!delivery) return undefined;
  const send = () => deliverMessage(context, { delivery, claimedAt });
  return { sent: context.flights.run(`webhook ${delivery.id}`, send) };
}

/** A place that is free again is taken for the next message at once. */
async function goOn(context: WebhooksDeps, lane: WebhookLane, sent: Promise<void>): Promise<void> {
  await sent;
  context.webhooks.places.giveBack(lane);
  await fillPlaces(context, lane).catch((error: unknown) => context.troubles.jobs.note(WORK, error));
}

async function fillPlaces(context: WebhooksDeps, lane: WebhookLane): Promise<void> {
  const { places } = context.webhooks;
  while (!context.shutdown.signal.aborted && places.take(lane)) {
    const next = await sendNext(context, lane).catch((error: unknown) => {
      places.giveBack(lane);
      throw error;
    });
    if (!next) return places.giveBack(lane);
    void goOn(context, lane, next.sent);
  }
}

/**
 * Begins to send what is due, as far as places are free, and waits for no receiver. A restored copy sends nothing.
 */
export async function sendWebhooks(context: WebhooksDeps): Promise<void> {
  if (context.instance.why() !== undefined) return;
  await Promise.all([fillPlaces(context, 'quick'), fillPlaces(context, 'slow')]);
}
