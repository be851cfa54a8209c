import { MINUTE } from '../../shared/lifetimes.ts';
import { listPartsOf } from '../../store/history/deeds.ts';
import { EVENTS_PER_PAGE, firstChainedAfter, listUnchained, readHead } from '../../store/history/events.ts';
import {
  keepHistoryPlace,
  moveHistoryPlace,
  readHistoryPlace,
  type ReadingPlace,
} from '../../store/webhooks/reading.ts';
import { readNamedTokens } from '../../store/webhooks/named-tokens.ts';
import { hasWebhooks } from '../../store/webhooks/webhooks.ts';
import { CHAIN_START } from '../history/chain.ts';
import { CursorRefused, readAfter } from '../history/follow-history.ts';
import type { ChainedEntry } from '../history/locate-tampering.ts';
import { readLifecycle } from '../lifecycle/read-lifecycle.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import type { WebhooksDeps } from './deps.ts';
import { keepMessages } from './message.ts';
import { entryOfDeed, tokensOfDeeds } from './taken-back.ts';
import { countBeforeSplit, messagesOf, namesDates, namesTurn, namesToken } from './told-by-history.ts';

/**
 * Follows the history and makes the messages of webhooks from it (docs/decisions/0028). The place in the history moves on
 * in the transaction that keeps the messages, from the place that was read. So no change is passed over and none is told
 * twice, whatever process reads and whenever one dies.
 */

async function factsFor({ store: { durable }, clock }: WebhooksDeps, entries: readonly ChainedEntry[]) {
  const now = clock.now();
  const ids = entries.filter(namesToken).flatMap(({ mapping_id: id }) => id ?? []);
  const tokens = await readNamedTokens(durable, ids);
  const parts = await listPartsOf(
    durable,
    entries.flatMap((entry) => entryOfDeed(entry) ?? []),
  );
  const none = { dates: {}, extensions: new Map(), exemptions: new Map(), brownouts: [] };
  const ofDeeds = tokensOfDeeds(parts);
  return { tokens, ofDeeds, lifecycle: entries.some(namesDates) ? await readLifecycle(durable, now) : none };
}

/** The database was replaced by a backup, or entries were removed. What was not told yet stays untold. */
async function beginAnew(context: WebhooksDeps, error: CursorRefused): Promise<void> {
  context.logger.error('webhooks begin anew at the end of the history, which is another one than before', {
    error,
  });
  const { durable } = context.store;
  await keepHistoryPlace(durable, (await readHead(durable)) ?? CHAIN_START);
}

async function entriesAfter(context: WebhooksDeps, place: ReadingPlace): Promise<ChainedEntry[]> {
  try {
    return await readAfter(context.store.durable, place);
  } catch (error) {
    if (!(error instanceof CursorRefused)) throw error;
    await beginAnew(context, error);
    return [];
  }
}

/** Longer than it takes to chain what was committed together. An entry that is never chained holds up nothing after that. */
const CHAINED_WITHIN = 1 * MINUTE;

/** Entries that were committed together are chained one after the other, with few of others between them. */
const LOOKED_AHEAD = 100;

/**
 * The entries of a page that can be told now. A page ends anywhere, also amid tokens that stopped or resumed together and are told in
 * one message: their entries are left for the next page, and for the next turn where the rest is not chained yet. More
 * of them than a page holds are told in several messages.
 */
async function tellable({ store, clock }: WebhooksDeps, page: ChainedEntry[]): Promise<ChainedEntry[]> {
  const lastTurn = page.findLast(namesTurn);
  if (!lastTurn) return page;
  const { durable } = store;
  // In this order: what is chained in between is found in the second list.
  const waiting = await listUnchained(durable, { after: lastTurn.id, limit: LOOKED_AHEAD });
  const chained = await firstChainedAfter(durable, page.at(-1)?.position ?? 0);
  const whole = page.slice(0, countBeforeSplit(page, [...chained, ...waiting]));
  if (whole.length > 0) return whole;
  const isOld = (page[0]?.at ?? 0) < clock.now() - CHAINED_WITHIN;
  return isOld || page.length >= EVENTS_PER_PAGE ? page : [];
}

/** Makes the messages of one page; false where there is nothing to tell yet. */
async function readPage(context: WebhooksDeps, place: ReadingPlace): Promise<boolean> {
  const entries = await tellable(context, await entriesAfter(context, place));
  const last = entries.at(-1);
  if (!last) return false;
  const messages = messagesOf(entries, await factsFor(context, entries));
  const next = { position: last.position, chain: last.chain ?? '' };
  return context.store.transaction(async (tx) => {
    if (!(await moveHistoryPlace(tx, place, next))) return false;
    await keepMessages(tx, messages, context.clock.now());
    return true;
  });
}

/** Reads on to the end of the history. Without a webhook nothing is read; the first webhook begins at the end. */
export async function readHistoryForWebhooks(context: WebhooksDeps): Promise<void> {
  const { durable } = context.store;
  if (context.instance.why() !== undefined || !(await hasWebhooks(durable))) return;
  while (!context.shutdown.signal.aborted) {
    const place = await readHistoryPlace(durable);
    if (!place || !(await readPage(context, place))) return;
    await yieldToEventLoop();
  }
}
