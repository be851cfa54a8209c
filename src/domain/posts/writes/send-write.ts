import { newOrderedId } from '../../../shared/ids.ts';
import { WRITE_ANSWERED_WITHIN } from '../../../shared/lifetimes.ts';
import type { WriteCall } from '../../../store/tables/posts.ts';
import { Unauthorized } from '../../../upstream/main-api.ts';
import { documentOf, writePost } from '../../../upstream/posts/write-post.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import type { Context } from '../../context.ts';
import { withAccessToken } from '../../grants/refresh/with-access-token.ts';
import { requireBudget, takeWrite } from '../../limits/fair-reads.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import { takersOf } from '../../tokens/proven-app.ts';
import { withUsableKeys } from '../../keys/retry-after-key-rotation.ts';
import { type Attempt, claimWrite, type ClaimedWrite, notSent, requireSendable } from './claim-write.ts';
import { endRow, settle } from './keep-outcome.ts';
import { forgetCounts } from '../known-counts.ts';
import { notePostsChanged } from '../lists/post-cache.ts';
import type { Write, WriteEnd, Writer } from './writes.ts';

/**
 * One write of the new API for an old call: connect, keep a row of the journal durably, send. What may not happen: that a
 * post is made twice, or that the caller is told it failed and it is there. A write is sent once more only after a 401,
 * which the new API gives before it reads what was sent.
 */

/** A body of more bytes is not sent. */
const LONGEST_DOCUMENT = 60 * 1024;

/** What was written would be larger than the new API takes. */
export class WriteTooLarge extends Error {
  override readonly name = 'WriteTooLarge';
}

/** In the place that the write has got by now: others may have used up the budget while it waited. @throws {BudgetSpent} */
function takeShare(context: Context, { attempt, grant, mapping }: ClaimedWrite): void {
  if (attempt.isCounted) return;
  takeWrite(context, { modernClientId: grant.modernClientId, clientId: mapping.client_id });
  attempt.isCounted = true;
}

async function send(context: Context, parts: ClaimedWrite, accessToken: string): Promise<void> {
  const mainApi = context.sides.mainApiFor(parts.grant.modernClientId);
  const { attempt, document } = parts;
  const connection = await mainApi.connect(takersOf(parts.mapping));
  try {
    takeShare(context, parts);
    attempt.claim ??= await claimWrite(context, parts);
    requireSendable(context, attempt);
    if (!connection.isOpen()) throw notSent('the connection was closed before anything was written');
    const now = () => context.clock.now();
    const outcome = await writePost({ mainApi, connection, accessToken, document, now });
    if (outcome.kind === 'unauthorized') throw new Unauthorized('the main API refused the access token');
    attempt.outcome = outcome;
  } finally {
    connection.reset();
  }
}

const KEEPS_LENGTHS: readonly WriteCall[] = ['create', 'move_to_top', 'reorder', 'shuffle'];

/** Whether lists have as many posts as before, or the call itself counts the new one. */
function keepsLengths({ call, write }: ClaimedWrite): boolean {
  return KEEPS_LENGTHS.includes(call) || (call === 'update' && write.input['mode'] === undefined);
}

/**
 * What is kept of posts is out of date. A new post is counted by its call; a post that was moved, or of which only the
 * content was changed, stays in its list.
 */
async function noteChange(context: Context, parts: ClaimedWrite, end: WriteEnd) {
  const { grant, channelId } = parts;
  const isDone = end.kind === 'done';
  if (!isDone || !keepsLengths(parts))
    await forgetCounts(context, grant.id, (isDone ? end.post?.channelId : undefined) ?? channelId);
  await notePostsChanged(context, grant.id);
}

/** Whatever is thrown without an outcome proves that the write was not done. */
async function sendOnce(context: Context, parts: ClaimedWrite): Promise<void> {
  const { attempt, grant } = parts;
  try {
    await withAccessToken(context, grant.id, (token) => send(context, parts, token));
  } catch (error) {
    if (attempt.outcome) {
      context.logger.warn('a write was answered, and then something failed', { error });
      return;
    }
    if (attempt.claim) await endRow(context, attempt.claim.rowId, { state: 'refused', refusal: 'not_sent' });
    attempt.claim = undefined;
    throw error;
  }
}

/** @throws {BudgetSpent}, and whatever proves that the write was not done */
async function sendClaimed(context: Context, parts: ClaimedWrite): Promise<WriteEnd> {
  await sendOnce(context, parts);
  const { claim: claimed, outcome } = parts.attempt;
  if (!claimed || !outcome) throw new Error('a write has an outcome and no row');
  const end = await settle(context, { claimed, call: parts.call }, outcome);
  if (end.kind !== 'refused') await noteChange(context, parts, end);
  return end;
}

interface Waiting {
  /** In milliseconds. */
  left: number;
  attempt: Attempt;
}

/** Waits for a write as long as its caller may wait; the write itself goes on. @throws {Unavailable} it was not sent */
function withinPatience(work: Promise<WriteEnd>, { left, attempt }: Waiting): Promise<WriteEnd> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      attempt.isGivenUp = true;
      if (attempt.claim) resolve({ kind: 'in_doubt', rowId: attempt.claim.rowId, message: undefined });
      else reject(notSent('the service takes too long'));
    }, left);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Sends one write for an old call, at most once.
 * @throws {BudgetSpent | Unavailable | GrantDead | TokenRefused | WriteTooLarge} nothing was done
 */
export async function sendWrite(context: Context, writer: Writer, write: Write): Promise<WriteEnd> {
  const document = documentOf(write.write);
  if (Buffer.byteLength(document) > LONGEST_DOCUMENT) throw new WriteTooLarge();
  const attempt: Attempt = { claim: undefined, outcome: undefined, isCounted: false, isGivenUp: false };
  const sendFor = (grant: GrantClient) => {
    requireBudget(context, grant);
    return sendClaimed(context, { ...writer, ...write, document, grant, attempt });
  };
  const run = () => withUsableKeys(context, () => servedBy(context, writer.mapping, sendFor));
  const work = context.flights.run(`write ${newOrderedId(context.clock.now())}`, run);
  const left = Math.max(0, writer.came + WRITE_ANSWERED_WITHIN - context.clock.elapsed());
  return withinPatience(work, { left, attempt });
}
