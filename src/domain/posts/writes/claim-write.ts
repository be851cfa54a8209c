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
import type { PostsDeps } from '../deps.ts';
import { requireUsableKey } from '../../keys/retry-after-key-rotation.ts';
import type { Write, Writer } from './writes.ts';

/** Stores the journal row of a write before the first byte, and checks how long the row lets the write be sent. */

/**
 * The row of a running write, with the time of all clocks when the row was made. Three clocks, because one clock may be
 * set, and another may stop while the machine sleeps.
 */
export interface WriteClaim {
  rowId: string;
  begun: { elapsed: number; wall: number; now: number };
}

/** The outcome that an answer proves. Excludes a 401: after a 401 the new API has not read the write. */
export type SentOutcome = Exclude<WriteOutcome, { kind: 'unauthorized' }>;

export interface Attempt {
  claim: WriteClaim | undefined;
  /** The answer of the new API to the sent write. A later error does not change this outcome. */
  outcome: SentOutcome | undefined;
  /** Whether the write was counted in the app's share of the budget. A second sending after a 401 is not counted. */
  isCounted: boolean;
  /** The caller no longer waits. Without a claim by now, the write is not sent. */
  isGivenUp: boolean;
}

/** A write under way, with its grant. */
export type ClaimedWrite = Writer & Write & { document: string; grant: GrantClient; attempt: Attempt };

function clocksOf({ clock }: PostsDeps): WriteClaim['begun'] {
  return { elapsed: clock.elapsed(), wall: clock.wall(), now: clock.now() };
}

/** The failure of a write that was not sent, or not carried out. */
export function notSent(why: string): Unavailable {
  return new Unavailable(`nothing was written: ${why}`, { retryAfter: 1000 });
}

/** A write that begins now would end after its caller stops waiting. */
export class TooLateToBegin extends Unavailable {}

/**
 * Checked immediately before the first byte. A paused process must not send a write that other processes have given up.
 * A caller that was told that nothing was sent must not be wrong later.
 * @throws {Unavailable}
 */
export function requireSendable(context: PostsDeps, { claim, isGivenUp }: Attempt): void {
  if (isGivenUp || !claim) throw notSent('the caller was answered before it was sent');
  const [at, { begun }] = [clocksOf(context), claim];
  const passed = Math.max(at.elapsed - begun.elapsed, at.wall - begun.wall, at.now - begun.now);
  if (passed > WRITE_SENT_WITHIN) throw notSent('too much time passed before it was sent');
}

/** @throws {Unavailable} */
function requireTime(context: PostsDeps, parts: ClaimedWrite): void {
  const { came, attempt, begunWithin = WRITE_BEGUN_WITHIN } = parts;
  const isLate = context.clock.elapsed() - came > begunWithin;
  if (attempt.isGivenUp || isLate)
    throw new TooLateToBegin('nothing was written: the service takes too long', { retryAfter: 1000 });
  if (!context.shutdown.leavesTimeFor(UPSTREAM_TIMEOUT + STORE_LIMIT))
    throw notSent('the process is stopping');
}

function rowOf(context: PostsDeps, parts: ClaimedWrite, now: number): NewPostWrite {
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

/** In the transaction of the row: a token pair that was handed over must not write. @throws {Unavailable} */
async function requireLiveGrant(tx: Database, { grant }: ClaimedWrite): Promise<void> {
  const row = await findGrant(tx, grant.id);
  if (!row || row.state === 'dead') throw notSent('the connection has ended');
}

/** Stores the row of a write. Nothing is sent before the row is durable. @throws {Unavailable | KeyDropped} */
export async function claimWrite(context: PostsDeps, parts: ClaimedWrite): Promise<WriteClaim> {
  requireTime(context, parts);
  const begun = clocksOf(context);
  const row = rowOf(context, parts, begun.now);
  const isKept = await context.store.transaction(async (tx) => {
    await requireLiveGrant(tx, parts);
    if (row.content_digest) await requireUsableKey(tx, 'digest', row.content_digest);
    return beginWrite(tx, row, context.instance.seen());
  });
  if (!isKept) throw notSent('the database is a copy');
  return { rowId: row.id, begun };
}
