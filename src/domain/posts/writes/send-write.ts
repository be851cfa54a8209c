import { newOrderedId } from '../../../shared/ids.ts';
import { WRITE_ANSWERED_WITHIN } from '../../../shared/lifetimes.ts';
import { Refusal } from '../../../shared/refusals/refusal.ts';
import type { WriteCall } from '../../../store/tables/posts.ts';
import { Unauthorized } from '../../../upstream/main-api.ts';
import { documentOf, writePost } from '../../../upstream/posts/write-post.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import { mainApiOf } from '../../grants/main-api-of.ts';
import type { PostsDeps } from '../deps.ts';
import { withAccessToken } from '../../grants/refresh/with-access-token.ts';
import { requireBudget, takeWrite } from '../../limits/fair-shares.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import { takersOf } from '../../tokens/proven-app.ts';
import { withUsableKeys } from '../../keys/retry-after-key-rotation.ts';
import { type Attempt, claimWrite, type ClaimedWrite, notSent, requireSendable } from './claim-write.ts';
import { endRow, settle } from './keep-outcome.ts';
import { countMovedPost, countNewPost, forgetCounts } from '../known-counts.ts';
import { notePostsChanged } from '../lists/post-cache.ts';
import type { Write, WriteEnd, Writer } from './writes.ts';

/**
 * Sends one write to the new API for an old call: connect, store a journal row durably, send. Two results must never
 * happen: a post is made twice, or the caller is told of a failure while the post exists. A write is sent again only
 * after a 401, because the new API gives a 401 before reading the write.
 */

/** A longer body is not sent. In bytes. */
const LONGEST_DOCUMENT = 60 * 1024;

/** The write is larger than the new API takes. */
export class WriteTooLarge extends Refusal {}

/** Runs once the write has a place: others may have used up the budget during the wait. @throws {BudgetSpent} */
function takeShare(context: PostsDeps, { attempt, grant }: ClaimedWrite): void {
  if (attempt.isCounted) return;
  takeWrite(context, grant);
  mainApiOf(context, grant).askFirst();
  attempt.isCounted = true;
}

async function send(context: PostsDeps, parts: ClaimedWrite, accessToken: string): Promise<void> {
  const mainApi = mainApiOf(context, parts.grant);
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

const KEEPS_LENGTHS: readonly WriteCall[] = ['move_to_top', 'reorder', 'shuffle'];

/** Whether the lists keep their lengths: a moved post, or a post with changed content, stays in its list. */
function keepsLengths({ call, write }: ClaimedWrite): boolean {
  return KEEPS_LENGTHS.includes(call) || (call === 'update' && write.input['mode'] === undefined);
}

/** Counts a post that was sent or deleted, if the lists show where it stood. */
async function countsMove(
  context: PostsDeps,
  { grant, call, attempt, postId }: ClaimedWrite,
  post: WrittenPost | undefined,
): Promise<boolean> {
  const writtenAt = attempt.claim?.begun.now;
  const isSent = call === 'share' && post?.status === 'sent';
  if (postId === undefined || writtenAt === undefined || !(call === 'destroy' || isSent)) return false;
  return (await countMovedPost(context, grant.id, { id: postId, isSent, writtenAt })) !== undefined;
}

/** Whether the lengths of all lists are known after a write that was done, some of them changed. */
async function areLengthsKnown(
  context: PostsDeps,
  parts: ClaimedWrite,
  post: WrittenPost | undefined,
): Promise<boolean> {
  return keepsLengths(parts) || countsMove(context, parts, post);
}

/** What a write did to the known lengths of the lists. A write in doubt may or may not have changed them. */
async function noteLengths(context: PostsDeps, parts: ClaimedWrite, end: WriteEnd): Promise<void> {
  const { grant, channelId, call, attempt } = parts;
  const post = end.kind === 'done' ? end.post : undefined;
  const writtenAt = attempt.claim?.begun.now;
  if (call === 'create' && post && writtenAt !== undefined)
    return countNewPost(context, grant.id, { post, writtenAt });
  if (end.kind === 'done' && (await areLengthsKnown(context, parts, post))) return;
  await forgetCounts(context, grant.id, post?.channelId ?? channelId);
}

/** Marks the cached posts as out of date, also where the caller of the write waits no longer. */
async function noteChange(context: PostsDeps, parts: ClaimedWrite, end: WriteEnd): Promise<void> {
  await noteLengths(context, parts, end);
  await notePostsChanged(context, parts.grant.id);
}

/** An error without an outcome proves that the write was not carried out. */
async function sendOnce(context: PostsDeps, parts: ClaimedWrite): Promise<void> {
  const { attempt, grant } = parts;
  try {
    await withAccessToken(context, grant, (token) => send(context, parts, token));
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

/** @throws {BudgetSpent}, and errors that prove that the write was not carried out */
async function sendClaimed(context: PostsDeps, parts: ClaimedWrite): Promise<WriteEnd> {
  await sendOnce(context, parts);
  const { claim: claimed, outcome } = parts.attempt;
  if (!claimed || !outcome) throw new Error('a write has an outcome and no row');
  const end = await settle(context, { claimed, call: parts.call }, outcome);
  if (end.kind !== 'refused') await noteChange(context, parts, end);
  return end;
}

interface WriteWait {
  /** Milliseconds. */
  left: number;
  attempt: Attempt;
}

/** Waits for a write while its caller may wait; the write itself continues. @throws {Unavailable} nothing was sent */
function withinPatience(work: Promise<WriteEnd>, { left, attempt }: WriteWait): Promise<WriteEnd> {
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
export async function sendWrite(context: PostsDeps, writer: Writer, write: Write): Promise<WriteEnd> {
  const document = documentOf(write.write);
  if (Buffer.byteLength(document) > LONGEST_DOCUMENT)
    throw new WriteTooLarge('the write is larger than the new API takes');
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
