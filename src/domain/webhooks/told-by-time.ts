import { DAY, HOUR } from '../../shared/lifetimes.ts';
import { dayOf, isoMoment } from '../../shared/moments.ts';
import { findLastCall } from '../../store/usage/call-sums.ts';
import { countOpen, isTold } from '../../store/webhooks/deliveries.ts';
import { listWebhooksFor } from '../../store/webhooks/webhooks.ts';
import { deskCounts } from '../support/desks.ts';
import { restForCalls } from '../work/yield-to-event-loop.ts';
import type { WebhooksDeps } from './deps.ts';
import { keepMessages, WAITING_MAX, type WebhookMessage } from './message.ts';

/** Messages that no change causes, but that time has passed: queues of support, and an app that has become quiet. */

/** An app without an old call for so long is quiet. */
const QUIET_AFTER = 7 * DAY;

/** An app that became quiet longer ago is not news. Shorter than messages are kept, so that none is told twice. */
const QUIET_NEWS = 2 * DAY;

/** The hour of the day (UTC) at which queues are counted daily. */
const DAILY_AT = 6 * HOUR;

interface Period {
  name: string;
  began: number;
}

const PERIODS = {
  'queues.hourly': (now: number): Period => {
    const began = Math.floor(now / HOUR) * HOUR;
    return { name: isoMoment(began).slice(0, 13), began };
  },
  'queues.daily': (now: number): Period => {
    const midnight = Math.floor((now - DAILY_AT) / DAY) * DAY;
    return { name: dayOf(midnight), began: midnight + DAILY_AT };
  },
} as const;

async function queueCounts(context: WebhooksDeps): Promise<object> {
  const counts = await deskCounts(context, 'UTC');
  return { queues: counts.map(({ desk, count, isMore }) => ({ queue: desk, count, is_more: isMore })) };
}

/** Whether no webhook with room has still to be told. Also true where nobody listens. */
async function isToldToAll(
  { store: { durable } }: WebhooksDeps,
  webhooks: ReadonlyArray<{ id: string }>,
  told: string,
): Promise<boolean> {
  const ids = webhooks.map(({ id }) => id);
  const waiting = await countOpen(durable, ids);
  const withRoom = ids.filter((id) => (waiting.get(id) ?? 0) < WAITING_MAX);
  const known = await Promise.all(withRoom.map((id) => isTold(durable, id, told)));
  return known.every(Boolean);
}

async function tellQueues(context: WebhooksDeps, event: keyof typeof PERIODS): Promise<void> {
  const now = context.clock.now();
  const { name, began } = PERIODS[event](now);
  const told = `${event}:${name}`;
  const webhooks = await listWebhooksFor(context.store.durable, event);
  const present = webhooks.filter(({ created_at: added }) => added <= began);
  if (await isToldToAll(context, present, told)) return;
  const data = await queueCounts(context);
  const message = { event, told, at: now, periodBegan: began, clientId: null, dataFor: () => data };
  await context.store.transaction((tx) => keepMessages(tx, [message], now));
}

/** Told once of each last call. A later call makes another last call. */
async function quietMessage(context: WebhooksDeps, clientId: string): Promise<WebhookMessage | undefined> {
  const now = context.clock.now();
  const since = dayOf(now - QUIET_AFTER - QUIET_NEWS);
  const last = await findLastCall(context.store, { clientId }, since);
  const at = (last?.last_at ?? Number.NEGATIVE_INFINITY) + QUIET_AFTER;
  if (!last || at > now || at < now - QUIET_NEWS) return undefined;
  const data = { client_id: clientId, last_call_at: isoMoment(last.last_at) };
  return { event: 'calls.quiet', told: `quiet:${last.last_at}`, at, clientId, dataFor: () => data };
}

async function tellQuietApps(context: WebhooksDeps): Promise<void> {
  const webhooks = await listWebhooksFor(context.store.durable, 'calls.quiet');
  for (const clientId of new Set(webhooks.flatMap(({ client_id: id }) => id ?? []))) {
    const message = await quietMessage(context, clientId);
    const own = webhooks.filter(({ client_id: id }) => id === clientId);
    if (message && !(await isToldToAll(context, own, message.told)))
      await context.store.transaction((tx) => keepMessages(tx, [message], context.clock.now()));
    await restForCalls(context.shutdown.signal);
  }
}

/** Makes the messages whose time has come. */
export async function tellByTime(context: WebhooksDeps): Promise<void> {
  if (context.instance.why() !== undefined) return;
  await tellQueues(context, 'queues.hourly');
  await tellQueues(context, 'queues.daily');
  await tellQuietApps(context);
}
