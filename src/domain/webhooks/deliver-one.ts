import { SECOND } from '../../shared/lifetimes.ts';
import type { WebhookOutcome } from '../../shared/metrics/webhook-metrics.ts';
import {
  type AttemptEnd,
  type ClaimedDelivery,
  endAttempt,
  giveUpOlder,
} from '../../store/webhooks/deliveries.ts';
import { liveWebhookSecrets } from '../../store/webhooks/secrets.ts';
import {
  isWebhookOfRetired,
  keepFailure,
  keepSuccess,
  readWebhook,
  type WebhookRow,
} from '../../store/webhooks/webhooks.ts';
import { WebhookNotTaken } from '../../upstream/webhooks/failure.ts';
import { postWebhook } from '../../upstream/webhooks/post-webhook.ts';
import { underAllKeys } from '../keys/retry-after-key-rotation.ts';
import { signingPlace } from '../keys/sealing-context.ts';
import type { WebhooksDeps } from './deps.ts';
import { comesAgainAt, givesUpBefore, isInRow, receiverRestsUntil } from './pauses.ts';
import { signedHeaders } from './signature.ts';

/** One attempt of one claimed message, up to its outcome. */

/** Written at a message that did not leave. */
const NOT_MADE = 'the message could not be made';

/** A process that was held up for longer might lose its claim while it sends, so it leaves the message. */
const BEGIN_WITHIN = 20 * SECOND;

/** A receiver that takes longer is a slow one. */
const QUICK = 2 * SECOND;

/** The receiver says that it wants nothing any more (410, as the Standard Webhooks specification has it). */
const GONE = 410;

/** A turn of a message. */
interface DeliveryTurn {
  delivery: ClaimedDelivery;
  /** A value of `clock.elapsed()` from before the claim. */
  claimedAt: number;
}

interface Attempt {
  webhook: WebhookRow;
  status: number | null;
  failure: string | null;
  tookLong: boolean;
  /** Spreads the pauses of message and receiver alike, so that both end together. */
  chance: number;
}

async function signedOf(context: WebhooksDeps, { id, webhook_id: webhookId, body }: ClaimedDelivery) {
  const now = context.clock.now();
  const rows = await liveWebhookSecrets(context.store.durable, webhookId, now);
  await underAllKeys(context, async () =>
    rows.every((row) => context.vault.holdsKeyOf(row.signing_sealed)) ? true : undefined,
  );
  const secrets = rows.map((row) => context.vault.open(signingPlace(row.id), row.signing_sealed));
  return {
    'content-type': 'application/json',
    'user-agent': 'grantbridge',
    ...signedHeaders({ id: `msg_${id}`, now, body }, secrets),
  };
}

/** Sends the message. A message that cannot be signed is a fault of this side, and is put off as well. */
async function attempt(
  context: WebhooksDeps,
  webhook: WebhookRow,
  delivery: ClaimedDelivery,
): Promise<Attempt> {
  const { clock } = context;
  let began = clock.elapsed();
  const ended = (status: number | null, failure: string | null): Attempt => {
    const tookLong = clock.elapsed() - began > QUICK;
    return { webhook, status, failure, tookLong, chance: context.chance() };
  };
  try {
    const headers = await signedOf(context, delivery);
    began = clock.elapsed();
    const message = { url: new URL(webhook.url), headers, body: delivery.body };
    return ended(await postWebhook(context.webhooks.reach, message), null);
  } catch (error) {
    if (error instanceof WebhookNotTaken) return ended(error.status ?? null, error.failure);
    context.logger.error('a message to a webhook could not be made', { webhookId: webhook.id, error });
    return ended(null, NOT_MADE);
  }
}

/** `failures`: how often the receiver failed in a row, with this attempt. */
function endOf(
  { attempts, created_at: madeAt }: ClaimedDelivery,
  { status, failure, chance }: Attempt,
  { failures, now }: { failures: number; now: number },
): AttemptEnd {
  const outcome = { now, nextAt: now, status, failure };
  if (failure === null) return { ...outcome, state: 'delivered' };
  const isLast = status === GONE || madeAt < givesUpBefore(failures, now);
  const nextAt = isLast ? undefined : comesAgainAt(attempts, { now, chance });
  return nextAt === undefined ? { ...outcome, state: 'dead' } : { ...outcome, state: 'due', nextAt };
}

/** Keeps how the receiver did; how often it failed in a row. A person may have ended its rest during the attempt. */
async function keepReceiver({ store }: WebhooksDeps, made: Attempt, now: number): Promise<number> {
  const { webhook, failure, tookLong, chance } = made;
  if (failure === null) {
    await keepSuccess(store.aside, webhook.id, { isSlow: tookLong, now });
    return 0;
  }
  const known = webhook.failures;
  const goesOn = isInRow(webhook.tried_at, now);
  // A fault of this side says nothing of the receiver.
  const added = failure === NOT_MADE ? 0 : 1;
  const restUntil = receiverRestsUntil(Math.max((goesOn ? known : 0) + added, 1), { now, chance });
  return (await keepFailure(store.aside, webhook.id, { known, goesOn, added, restUntil, now })) ?? 0;
}

/** Written at a message that is given up before its first attempt. */
const AWAY = 'the receiver failed eight times in a row, and the message was older than three days';

/** Gives up what waits too long for a receiver that is away, so that newer messages have room. */
async function giveUpOld(
  { store, logger }: WebhooksDeps,
  { webhookId, failures, now }: { webhookId: string; failures: number; now: number },
): Promise<void> {
  const before = givesUpBefore(failures, now);
  if (before <= 0) return;
  const count = await giveUpOlder(store.aside, { webhookId, failures, before, now, why: AWAY });
  if (count > 0)
    logger.warn('messages to a webhook that waited for three days were given up', { webhookId, count });
}

/** Written at a message that waited when its app was retired. */
const RETIRED = 'the app was retired';

/**
 * Gives up all that waits for a webhook of a retired app: its owner is told nothing more, and what waited for the end of
 * the retirement could be of any age. Where the retirement is taken back, the owner finds the messages and may send them.
 */
async function giveUpRetired(
  { store, logger }: WebhooksDeps,
  delivery: ClaimedDelivery,
  now: number,
): Promise<WebhookOutcome> {
  const { webhook_id: webhookId } = delivery;
  const others = { webhookId, failures: 0, before: now, now, why: RETIRED };
  // The claimed message last: while it is open, a process that dies here has its work done by the next claim.
  const count = 1 + (await giveUpOlder(store.aside, others));
  const end = { state: 'dead', now, nextAt: now, status: null, failure: RETIRED } as const;
  if (!(await endAttempt(store.aside, delivery, end))) return 'left';
  logger.info('messages to a webhook of a retired app were given up', { webhookId, count });
  return 'dead';
}

const OUTCOMES: Readonly<Record<AttemptEnd['state'], WebhookOutcome>> = {
  delivered: 'delivered',
  due: 'put_off',
  dead: 'dead',
};

function logFailure(
  context: WebhooksDeps,
  delivery: ClaimedDelivery,
  { state, failure, status }: AttemptEnd,
) {
  if (failure === null) return;
  const { id: messageId, webhook_id: webhookId, attempts } = delivery;
  const message =
    state === 'dead'
      ? 'a message to a webhook was given up'
      : 'a receiver did not take a message of a webhook';
  context.logger[state === 'dead' ? 'warn' : 'info'](message, {
    messageId,
    webhookId,
    attempts,
    failure,
    status,
  });
}

async function bringToEnd(
  context: WebhooksDeps,
  { delivery, claimedAt }: DeliveryTurn,
): Promise<WebhookOutcome> {
  const webhook = await readWebhook(context.store.durable, delivery.webhook_id);
  if (!webhook || context.clock.elapsed() - claimedAt > BEGIN_WITHIN) return 'left';
  // Messages that are kept once the retirement is taken back are younger than this, and are not given up.
  const lookedAt = context.clock.now();
  if (await isWebhookOfRetired(context.store.durable, webhook.id))
    return giveUpRetired(context, delivery, lookedAt);
  const made = await attempt(context, webhook, delivery);
  const now = context.clock.now();
  const failures = await keepReceiver(context, made, now);
  const end = endOf(delivery, made, { failures, now });
  if (!(await endAttempt(context.store.aside, delivery, end))) return 'left';
  logFailure(context, delivery, end);
  await giveUpOld(context, { webhookId: webhook.id, failures, now });
  return OUTCOMES[end.state];
}

/** Brings one claimed message to the outcome of its attempt; never rejects. When the database is away, the claim ends. */
export async function deliverMessage(context: WebhooksDeps, turn: DeliveryTurn): Promise<void> {
  const outcome = await bringToEnd(context, turn).catch((error: unknown): WebhookOutcome => {
    const { id: messageId } = turn.delivery;
    context.logger.error('what became of a message to a webhook could not be kept', { messageId, error });
    return 'left';
  });
  context.metrics.webhooks.note(turn.delivery.event, outcome);
}
