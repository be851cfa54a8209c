import { SECOND } from '../../shared/lifetimes.ts';
import { readLastLine } from '../../store/files/anchors.ts';
import {
  chainEvents,
  findLastUnwitnessed,
  type Link,
  listUnchained,
  readHead,
} from '../../store/history/events.ts';
import { isConstraintFailure, isSerializationFailure } from '../../store/driver/storage-fault.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Event } from '../../store/tables/tables.ts';
import { anchorHistory } from './anchor-history.ts';
import { CHAIN_START, isOlderThanWitnesses, isOwn, textOfLink } from './chain.ts';
import type { Context } from '../context.ts';
import { withLease } from '../work/lease.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';

/**
 * Chains the history (docs/decisions/0011): each entry gets the next position, and a value under the history key over
 * itself and all before it. Entries commit in any order; the chain is the order. Two sealers harm nothing: a position
 * is unique, and only an entry without one is given one.
 */

const PAGE = 500;

/** A sealer that was killed keeps the others from it for this long. */
const LEASE_LIMIT = 2 * SECOND;

/** Another sealer was faster; nothing of this transaction remains. */
class LostRace extends Error {
  override readonly name = 'LostRace';
}

interface Turn {
  /** Whether an anchor tells of a history, so that one that is empty was emptied. */
  isAnchored: boolean;
  /** Entries that are known not to be the bridge's, so that each is told of once. */
  refused: Set<number>;
  after: number | undefined;
}

function refuse(context: Context, event: Event, refused: Set<number>): void {
  if (refused.has(event.id)) return;
  refused.add(event.id);
  context.logger.error('ALARM: an entry of the history was not written by the bridge', { entry: event.id });
}

/** The entries that may be chained; older ones without a witness only where nothing was ever chained. */
function acceptable(
  context: Context,
  page: Event[],
  { refused, adopt }: Pick<Turn, 'refused'> & { adopt: boolean },
) {
  return page.filter((event) => {
    const isAccepted = isOwn(context.vault, event) || (adopt && isOlderThanWitnesses(event));
    if (!isAccepted) refuse(context, event, refused);
    return isAccepted;
  });
}

function linksAfter({ vault }: Context, head: Link, events: Event[]): Array<Link & { id: number }> {
  let before = head;
  return events.map((event) => {
    before = { position: before.position + 1, chain: vault.witness(textOfLink(before, event)) };
    return { ...before, id: event.id };
  });
}

/** The last of the entries without a witness that may be chained: those that were there before anything was. */
async function lastToAdopt(tx: Database, head: Link | undefined, turn: Turn): Promise<number | undefined> {
  return head || turn.isAnchored ? undefined : findLastUnwitnessed(tx);
}

/**
 * Chains one page, answering the id that it ended at while there may be more. Where nothing was chained yet it chains all
 * pages at once in which entries of older versions are, so that those are adopted as a whole. What comes after them, as
 * the million entries of an import, keeps no writer waiting.
 */
async function chainNext(context: Context, tx: Database, turn: Turn): Promise<number | undefined> {
  const found = await readHead(tx);
  const adoptTo = await lastToAdopt(tx, found, turn);
  const adopt = adoptTo !== undefined;
  let head = found ?? CHAIN_START;
  let { after } = turn;
  for (;;) {
    const page = await listUnchained(tx, { after, limit: PAGE });
    const links = linksAfter(context, head, acceptable(context, page, { ...turn, adopt }));
    if ((await chainEvents(tx, links)) !== links.length) throw new LostRace('a row has a position already');
    after = page.at(-1)?.id;
    head = links.at(-1) ?? head;
    if (after === undefined || page.length < PAGE) return undefined;
    if (after >= (adoptTo ?? after)) return after;
    // Adopting takes its time: health and what is cached are answered in between.
    await yieldToEventLoop(context.shutdown.signal);
  }
}

function isLostRace(error: unknown): boolean {
  return error instanceof LostRace || isConstraintFailure(error) || isSerializationFailure(error);
}

/** Chains page after page. While the process stops one page has to do: the next start chains the rest. */
async function chainAll(context: Context, refused: Set<number>): Promise<void> {
  const isAnchored = (await readLastLine(context.anchorsFile)) !== undefined;
  let after: number | undefined;
  do {
    // Read committed does: what must hold is held by the unique position, and writers of entries are in nobody's way.
    const transaction = context.store.aside.transaction();
    const turn = { isAnchored, refused, after };
    after = await transaction
      .execute((tx) => chainNext(context, tx, turn))
      .catch((error: unknown) => {
        if (isLostRace(error) || context.shutdown.signal.aborted) return undefined;
        throw error;
      });
    // A take-over leaves an entry for each grant: calls are answered in between.
    await yieldToEventLoop();
  } while (after !== undefined && !context.shutdown.signal.aborted);
}

/** Chains what waits, unless another process is doing it. An entry that the bridge did not write is left and told of. */
export async function sealHistory(context: Context, refused = new Set<number>()): Promise<void> {
  const waiting = await listUnchained(context.store.durable, { limit: 1 });
  if (waiting.length === 0) return;
  await withLease(context, { name: 'history', limit: LEASE_LIMIT }, () => chainAll(context, refused));
}

/** An entry is chained within a second of its commit. */
const TURN = 400;

const FIRST_REST = 5 * SECOND;

const TURNS_PER_ANCHOR = (5 * SECOND) / TURN;

/** Chains and anchors the history from here on; the answer does both once more and ends it. */
export function startSealing(context: Context): () => Promise<void> {
  const refused = new Set<number>();
  const resting = { logger: context.logger, firstRest: FIRST_REST };
  const chaining = { ...resting, message: 'the history is not chained' };
  const seal = restAfterFailure(chaining, () => sealHistory(context, refused));
  const anchoring = { ...resting, message: 'the history is not anchored' };
  const anchor = restAfterFailure(anchoring, () => anchorHistory(context));
  let turns = 0;
  let running: Promise<void> | undefined;
  const work = async (isLast: boolean) => {
    await seal();
    if (isLast || turns % TURNS_PER_ANCHOR < 1) await anchor();
    turns += 1;
  };
  const takeTurn = (isLast = false) =>
    (running ??= work(isLast).finally(() => {
      running = undefined;
    }));
  const timer = setInterval(() => void takeTurn(), TURN);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
    await takeTurn(true);
  };
}
