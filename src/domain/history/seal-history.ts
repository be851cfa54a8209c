import { DAY, SECOND } from '../../shared/lifetimes.ts';
import { readLastLine } from '../../store/files/anchors.ts';
import {
  chainEvents,
  findLastUnwitnessed,
  type ChainLink,
  listUnchained,
  readHead,
} from '../../store/history/events.ts';
import { isConstraintFailure, isSerializationFailure } from '../../store/driver/storage-fault.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Event } from '../../store/tables/tables.ts';
import { anchorOwn, type AnchorOwner } from './anchor-history.ts';
import { CHAIN_START, isOlderThanWitnesses, isOwn, textOfLink } from './chain.ts';
import type { HistoryDeps } from './deps.ts';
import { thinAnchors } from './thin-anchors.ts';
import { withLease } from '../work/lease.ts';
import { restForCalls, yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';
import { repeat } from '../../shared/repeat.ts';

/**
 * Chains the history (docs/decisions/0011). Each entry gets the next position, and a value under the history key over
 * itself and all entries before it. Entries commit in any order, and the chain fixes the order. Two sealers at once do
 * no harm: a position is unique, and only an entry without a position gets one.
 */

/** With SQLite the process does no other work from the first statement of a page to its commit. */
const PAGE = 100;

/** A sealer that was killed keeps other sealers waiting for this long. */
const LEASE_LIMIT = 2 * SECOND;

/** Another sealer was faster. Nothing of this transaction remains. */
class LostRace extends Error {
  override readonly name = 'LostRace';
}

interface SealingRun {
  /** Whether an anchor proves that a history existed. Then an empty history was emptied. */
  isAnchored: boolean;
  /** Ids of entries that the bridge did not write, so that each is reported once. */
  refused: Set<number>;
  after: number | undefined;
}

function refuse(context: HistoryDeps, event: Event, refused: Set<number>): void {
  if (refused.has(event.id)) return;
  refused.add(event.id);
  context.logger.error('ALARM: an entry of the history was not written by the bridge', { entry: event.id });
}

/** The entries that may be chained. Entries of early versions, without a witness, are accepted only with `adopt`. */
function acceptable(
  context: HistoryDeps,
  page: Event[],
  { refused, adopt }: Pick<SealingRun, 'refused'> & { adopt: boolean },
) {
  return page.filter((event) => {
    const isAccepted = isOwn(context.vault, event) || (adopt && isOlderThanWitnesses(event));
    if (!isAccepted) refuse(context, event, refused);
    return isAccepted;
  });
}

function linksAfter(
  { vault }: HistoryDeps,
  head: ChainLink,
  events: Event[],
): Array<ChainLink & { id: number }> {
  let before = head;
  return events.map((event) => {
    before = { position: before.position + 1, chain: vault.witness(textOfLink(before, event)) };
    return { ...before, id: event.id };
  });
}

/** The last entry without a witness that may be chained; undefined once an entry was chained or an anchor exists. */
async function lastToAdopt(
  tx: Database,
  head: ChainLink | undefined,
  turn: SealingRun,
): Promise<number | undefined> {
  return head || turn.isAnchored ? undefined : findLastUnwitnessed(tx);
}

/**
 * Chains one page and returns the id at its end, or undefined when no entry is left. If nothing was chained before, the
 * pages with entries of early versions are chained in one transaction, so that all or none of these entries are
 * adopted. Later entries, such as the million entries of an import, are chained page by page and keep no writer
 * waiting.
 */
async function chainNext(context: HistoryDeps, tx: Database, turn: SealingRun): Promise<number | undefined> {
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
    // Adopting takes long. The process answers health checks and cached calls in between.
    await yieldToEventLoop(context.shutdown.signal);
  }
}

function isLostRace(error: unknown): boolean {
  return error instanceof LostRace || isConstraintFailure(error) || isSerializationFailure(error);
}

/** Chains page after page. A stop ends the work after the present page, and the next start chains the rest. */
async function chainAll(context: HistoryDeps, refused: Set<number>): Promise<void> {
  const isAnchored = (await readLastLine(context.anchorsFile)) !== undefined;
  let after: number | undefined;
  do {
    // Read committed is enough: the unique position guards the chain, and writers of entries do not conflict with the
    // sealer.
    const transaction = context.store.aside.transaction();
    const turn = { isAnchored, refused, after };
    after = await transaction
      .execute((tx) => chainNext(context, tx, turn))
      .catch((error: unknown) => {
        if (isLostRace(error) || context.shutdown.signal.aborted) return undefined;
        throw error;
      });
    // A take-over writes an entry for each grant. The process answers calls in between.
    await restForCalls();
  } while (after !== undefined && !context.shutdown.signal.aborted);
}

/**
 * Chains the waiting entries, unless another process is chaining. An entry that the bridge did not write is reported
 * and left out.
 */
export async function sealHistory(context: HistoryDeps, refused = new Set<number>()): Promise<void> {
  const waiting = await listUnchained(context.store.durable, { limit: 1 });
  if (waiting.length === 0) return;
  await withLease(context, { name: 'history', limit: LEASE_LIMIT }, () => chainAll(context, refused));
}

/** Milliseconds between two turns, so that an entry is chained within a second of its commit. */
const TURN = 400;

const FIRST_REST = 5 * SECOND;

const TURNS_PER_ANCHOR = (5 * SECOND) / TURN;

/**
 * Starts to chain and anchor the history, and to keep the anchors few. The returned function chains and anchors once more
 * and then stops.
 */
export function startSealing(context: HistoryDeps & { instance: AnchorOwner }): () => Promise<void> {
  const refused = new Set<number>();
  const resting = { logger: context.logger, firstRest: FIRST_REST };
  const chaining = { ...resting, message: 'the history is not chained' };
  const seal = restAfterFailure(chaining, () => sealHistory(context, refused));
  const anchoring = { ...resting, message: 'the history is not anchored' };
  const anchor = restAfterFailure(anchoring, anchorOwn(context));
  const failing = { ...resting, message: 'the anchors of the history are not thinned' };
  const thin = restAfterFailure(failing, () => thinAnchors(context));
  let turns = 0;
  const work = async (isLast: boolean) => {
    await seal();
    if (isLast || turns % TURNS_PER_ANCHOR < 1) await anchor();
    turns += 1;
  };
  const sealing = repeat(() => work(false), TURN);
  // Apart from the chain: the first thinning of a long file takes minutes.
  const thinning = repeat(thin, DAY);
  void thinning.run();
  return async () => {
    await Promise.all([sealing.stop(), thinning.stop()]);
    await work(true);
  };
}
