import { LRUCache } from 'lru-cache';
import { MINUTE } from '../../shared/lifetimes.ts';
import type { GrantClient } from '../ask-for-account.ts';
import type { Context } from '../context.ts';

/**
 * What reads of posts may take of a client's budget at the new API. Below a tenth they give way to writes. Apps that share
 * the bridge's own client share its budget: an app may read while it has read less than three times what is left. An app
 * alone gets three quarters then, two get three sevenths each, and what is left is there for whoever comes next.
 */

const READS_END_BELOW = 0.1;
const READS_FOR_ONE_LEFT = 3;

/** The shortest window of a budget; what counts while the new API has not said how long its tightest one is. */
const WINDOW = 15 * MINUTE;

const MOST_APPS = 10_000;

/** A read that was not sent, so that something is left for writes or for other apps. */
export class ReadGivesWay extends Error {
  override readonly name = 'ReadGivesWay';
  /** Milliseconds until more is left. */
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super('the rest of the budget is kept for writes and for other apps');
    this.retryAfter = retryAfter;
  }
}

/** Reads of one app in one window. */
interface Reads {
  count: number;
  until: number;
}

const memories = new WeakMap<Context, LRUCache<string, Reads>>();

function memoryOf(context: Context): LRUCache<string, Reads> {
  const memory = memories.get(context) ?? new LRUCache<string, Reads>({ max: MOST_APPS });
  memories.set(context, memory);
  return memory;
}

export interface Reader extends Pick<GrantClient, 'modernClientId'> {
  /** The app. */
  clientId: string;
}

function readsOf(context: Context, { modernClientId, clientId }: Reader): Reads {
  const [memory, key] = [memoryOf(context), `${modernClientId} ${clientId}`];
  const now = context.clock.now();
  const known = memory.get(key);
  if (known && known.until > now) return known;
  const { validUntil } = context.sides.mainApiFor(modernClientId).budget();
  const begun = { count: 0, until: validUntil > now ? validUntil : now + WINDOW };
  memory.set(key, begun);
  return begun;
}

/** An app with a client of its own shares with nobody. */
function hasItsShare(context: Context, reader: Reader, { count }: Reads): boolean {
  const isShared = reader.modernClientId === context.server.clientId;
  return (
    isShared && count >= READS_FOR_ONE_LEFT * context.sides.mainApiFor(reader.modernClientId).remaining()
  );
}

/** Whether reads give way to writes now. */
function isLittleLeft({ sides }: Context, { modernClientId }: Pick<GrantClient, 'modernClientId'>): boolean {
  return sides.mainApiFor(modernClientId).remainingShare() < READS_END_BELOW;
}

/**
 * Counts one read that is about to be sent; during a pause nothing is. Each process counts for itself; what is left is the
 * client's.
 * @throws {ReadGivesWay} it must not be sent
 */
export function takeRead(context: Context, reader: Reader): void {
  const { validUntil, pausedUntil } = context.sides.mainApiFor(reader.modernClientId).budget();
  const reads = readsOf(context, reader);
  if (isLittleLeft(context, reader) || hasItsShare(context, reader, reads)) {
    throw new ReadGivesWay(Math.max(validUntil - context.clock.now(), 1000));
  }
  if (pausedUntil <= context.clock.now()) reads.count += 1;
}
