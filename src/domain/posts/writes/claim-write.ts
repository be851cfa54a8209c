import { newOrderedId } from '../../../shared/ids.ts';
import {
  STORE_LIMIT,
  UPSTREAM_TIMEOUT,
  WRITE_BEGUN_WITHIN,
  WRITE_SENT_WITHIN,
} from '../../../shared/lifetimes.ts';
import { findGrant } from '../../../store/grants/grants.ts';
import type { NewPostWrite } from '../../../store/tables/posts.ts';
import { beginWrite } from '../../../store/posts/write-journal.ts';
import type { Database } from '../../../store/driver/store.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import type { WriteOutcome } from '../../../upstream/posts/write-post.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import type { Context } from '../../context.ts';
import { requireUsable } from '../../keys/retry-after-key-rotation.ts';
import type { Write, Writer } from './writes.ts';

/** The row of the journal that a write needs before its first byte leaves, and how long the row lets it be sent. */

/** The row of a write that runs, and when it was kept by every clock: one may have been set, another may have slept. */
export interface Claim {
  rowId: string;
  begun: { elapsed: number; wall: number; now: number };
}

/** What the answer to a write proves; a 401 proves that the write has not been read. */
export type SentOutcome = Exclude<WriteOutcome, { kind: 'unauthorized' }>;

export interface Attempt {
  claim: Claim | undefined;
  /** What the new API answered to what was sent; whatever is thrown after it does not unmake it. */
  outcome: SentOutcome | undefined;
  /** It was counted against the app's share of the budget; once, though a 401 may have it sent once more. */
  isCounted: boolean;
  /** Nobody waits any more: what is not claimed by then is not sent. */
  isGivenUp: boolean;
}

/** A write on its way, with the grant that it is sent with. */
export type ClaimedWrite = Writer & Write & { document: string; grant: GrantClient; attempt: Attempt };

function clocksOf({ clock }: Context): Claim['begun'] {
  return { elapsed: clock.elapsed(), wall: clock.wall(), now: clock.now() };
}

/** The failure of a write that was not sent, or not done. */
export function notSent(why: string): Unavailable {
  return new Unavailable(`nothing was written: ${why}`, { retryAfter: 1000 });
}

/** The caller would not wait for the end of a write that is begun now. */
export class TooLateToBegin extends Unavailable {}

/**
 * To be asked in the moment before the first byte: a process that was paused must not send what others take for given up,
 * and a caller that was told that nothing was sent must stay right.
 * @throws {Unavailable}
 */
export function requireSendable(context: Context, { claim, isGivenUp }: Attempt): void {
  if (isGivenUp || !claim) throw notSent('the caller was answered before it was sent');
  const [at, { begun }] = [clocksOf(context), claim];
  const passed = Math.max(at.elapsed - begun.elapsed, at.wall - begun.wall, at.now - begun.now);
  if (passed > WRITE_SENT_WITHIN) throw notSent('too much time passed before it was sent');
}

/** @throws {Unavailable} */
function requireTime(context: Context, parts: ClaimedWrite): void {
  const { came, attempt, begunWithin = WRITE_BEGUN_WITHIN } = parts;
  const isLate = context.clock.elapsed() - came > begunWithin;
  if (attempt.isGivenUp || isLate)
    throw new TooLateToBegin('nothing was written: the service takes too long', { retryAfter: 1000 });
  if (!context.shutdown.leavesTimeFor(UPSTREAM_TIMEOUT + STORE_LIMIT))
    throw notSent('the process is stopping');
}

function rowOf(context: Context, parts: ClaimedWrite, now: number): NewPostWrite {
  return {
    id: newOrderedId(now),
    mapping_id: parts.mapping.id,
    account_id: parts.mapping.account_id,
    modern_client_id: parts.grant.modernClientId,
    call: parts.call,
    organization_id: parts.organizationId ?? null,
    channel_id: parts.channelId ?? null,
    content_digest: parts.content === undefined ? null : context.vault.digest(parts.content),
    post_id: parts.postId ?? null,
    request_id: parts.requestId,
    next_look_at: null,
    sent_at: now,
  };
}

/** In the transaction of the row: a pair that was given away meanwhile must not write any more. @throws {Unavailable} */
async function requireLiveGrant(tx: Database, { grant }: ClaimedWrite): Promise<void> {
  const row = await findGrant(tx, grant.id);
  if (!row || row.state === 'dead') throw notSent('the connection has ended');
}

/** Keeps the row of a write; nothing is sent before it is durable. @throws {Unavailable | KeyDropped} */
export async function claimWrite(context: Context, parts: ClaimedWrite): Promise<Claim> {
  requireTime(context, parts);
  const begun = clocksOf(context);
  const row = rowOf(context, parts, begun.now);
  const isKept = await context.store.transaction(async (tx) => {
    await requireLiveGrant(tx, parts);
    if (row.content_digest) await requireUsable(tx, 'digest', row.content_digest);
    return beginWrite(tx, row, context.instance.seen());
  });
  if (!isKept) throw notSent('the database is a copy');
  return { rowId: row.id, begun };
}
