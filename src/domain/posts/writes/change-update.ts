import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import { Forbidden } from '../../../upstream/main-api.ts';
import { findPost, findPostToEdit, type PostSearch } from '../../../upstream/posts/find-posts.ts';
import { FieldRefused, type FieldPairs } from '../../translation/call-fields.ts';
import { changedUpdate, hasMedia, type UpdateContent } from '../../translation/new-update.ts';
import { bindsText, editInput, timedFor } from '../../translation/edits/edit-input.ts';
import { type EditedPost, editedPostOf } from '../../translation/edits/edited-post.ts';
import {
  NO_SUCH_UPDATE,
  NOT_TO_BE_MOVED,
  type OldRefusal,
  refusalOfMove,
  refusalOfWrite,
} from '../../translation/old-refusal.ts';
import { isUpdateId } from '../../translation/update-id.ts';
import type { PostsDeps } from '../deps.ts';
import { mainApiOf } from '../../grants/main-api-of.ts';
import { withAccessToken } from '../../grants/refresh/with-access-token.ts';
import { takeWrite } from '../../limits/fair-shares.ts';
import { servedBy } from '../../tokens/resolve-token.ts';
import { contentText } from '../../ids/updates/content-digest.ts';
import { isMovable } from '../order/read-queue.ts';
import { hasScope, requireScope } from '../scope-missing.ts';
import { readInTime } from './read-in-time.ts';
import { requireRight } from './require-right.ts';
import { sendWrite, WriteTooLarge } from './send-write.ts';
import { settleInCall } from './settle-in-call.ts';
import type { Write, WriteEnd, Writer } from './writes.ts';

/** The old calls that change one existing post. */

/** The outcome of the change. */
export type ChangeEnd =
  | { kind: 'done'; post: WrittenPost | undefined; leftOut: string[] }
  /** `wasInDoubt`: the answer to the write was lost, and a later look led to this refusal. */
  | { kind: 'refused'; refusal: OldRefusal; wasInDoubt?: boolean }
  /** `message` is the text of the new API about the fault. */
  | { kind: 'in_doubt'; message: string | undefined };

/** The change of a post with this id. */
export type UpdateChange =
  | { call: 'update'; id: string; pairs: FieldPairs }
  | { call: 'share' | 'destroy' | 'move_to_top'; id: string };

/** Reads a post before its write. The read belongs to the write, and does not give way to other writes. */
function readFirst<Kind>(
  context: PostsDeps,
  writer: Writer,
  find: (looking: PostSearch) => Promise<Kind | undefined>,
): Promise<Kind | undefined> {
  const reading = servedBy(context, writer.mapping, (grant) => {
    const mainApi = mainApiOf(context, grant);
    takeWrite(context, grant);
    return withAccessToken(context, grant, (accessToken) =>
      find({ mainApi, accessToken, now: context.clock.now() }),
    );
  });
  return readInTime(context, writer, reading);
}

/** The form of media depends on the service of the post's channel, and on what the post has. */
async function editedPost(context: PostsDeps, writer: Writer, id: string): Promise<EditedPost | undefined> {
  const found = await readFirst(context, writer, (looking) => findPostToEdit(looking, id));
  return found && editedPostOf(found);
}

/** Undefined where the account may not read the post, although the grant has the scope. */
const postIfAllowed = (context: PostsDeps, writer: Writer, id: string): Promise<EditedPost | undefined> =>
  editedPost(context, writer, id).catch((error: unknown) => {
    if (error instanceof Forbidden) return undefined;
    throw error;
  });

/** The content for a digest; undefined where text and time of a post cannot show whether the change was done. */
function contentOfChange(
  id: string,
  { text, timing, media }: UpdateContent,
  post: EditedPost | undefined,
): string | undefined {
  const dueAt = timing?.mode === 'customScheduled' ? timing.dueAt : undefined;
  const isShared = timing !== undefined && dueAt === undefined;
  const isMore = hasMedia(media) || post?.service === 'pinterest';
  return isShared || isMore ? undefined : contentText({ channelId: id, text, dueAt });
}

/**
 * Whether the post is read before its edit. Media have no form without it. A title is for pins alone, and only a post with a
 * time of its own can lose that, so without the right to read both are left out, and told.
 * @throws {ScopeMissing}
 */
async function mayReadPost(context: PostsDeps, { mapping }: Writer, { media, timing }: UpdateContent) {
  if (hasMedia(media)) await requireScope(context, mapping, 'posts:read');
  const isBetterRead = media.title !== undefined || timing?.mode === 'addToQueue';
  return hasMedia(media) || (isBetterRead && (await hasScope(context, mapping, 'posts:read')));
}

interface PreparedWrite {
  kind: 'prepared';
  write: Write;
  leftOut: string[];
  /** What an edit brings, where its post was not read. */
  unread?: { id: string; update: UpdateContent };
}

function editFor(id: string, sent: UpdateContent, post: EditedPost | undefined): PreparedWrite {
  const { input, leftOut } = editInput(id, sent, post);
  const update = timedFor(sent, post);
  const content = contentOfChange(id, update, post);
  const shown = content === undefined ? {} : { content };
  const write = { call: 'update', write: { mutation: 'editPost', input }, postId: id, ...shown } as const;
  return { kind: 'prepared', write, leftOut };
}

/** @throws {FieldRefused} */
async function editOf(
  context: PostsDeps,
  writer: Writer,
  { id, pairs }: Extract<UpdateChange, { call: 'update' }>,
): Promise<PreparedWrite> {
  const update = changedUpdate(pairs, context.clock.now());
  if (!(await mayReadPost(context, writer, update)))
    return { ...editFor(id, update, undefined), unread: { id, update } };
  const read = hasMedia(update.media) ? editedPost : postIfAllowed;
  return editFor(id, update, await read(context, writer, id));
}

/**
 * The edit after the refusal of an edit whose post was not read: the new API refuses a text that the first part of a thread
 * does not have, and one that ends before a mention does. A text alone costs no reading before its write, for hardly any
 * post has either. Where the account may not read the post, the refusal stays: it is true of what was sent. A passing failure
 * makes no final refusal: nothing was changed, and the same call does the edit later.
 * @throws {LimitReached | Unavailable} nothing was changed
 */
async function editAfterRefusal(
  context: PostsDeps,
  writer: Writer,
  { preparing: { unread }, end }: { preparing: PreparedWrite; end: WriteEnd },
): Promise<PreparedWrite | undefined> {
  const isRefused = end.kind === 'refused' && end.refusal.kind === 'InvalidInputError';
  if (!unread || !isRefused || !(await hasScope(context, writer.mapping, 'posts:read'))) return undefined;
  const post = await postIfAllowed(context, writer, unread.id);
  return post && bindsText(unread.update.text, post) ? editFor(unread.id, unread.update, post) : undefined;
}

interface SentChange {
  sent: PreparedWrite;
  end: WriteEnd;
}

async function sendChange(context: PostsDeps, writer: Writer, preparing: PreparedWrite): Promise<SentChange> {
  const end = await sendWrite(context, writer, preparing.write);
  const again = await editAfterRefusal(context, writer, { preparing, end });
  if (!again) return { sent: preparing, end };
  return { sent: again, end: await sendWrite(context, writer, again.write) };
}

type RefusedChange = Extract<ChangeEnd, { kind: 'refused' }>;

/**
 * The move to the top. The new API takes a time of its own from a post that it moves; the old API refused such a move. So the
 * post is read before. A connection that may not read posts cannot know the time, and moves the post all the same.
 */
async function moveOf(
  context: PostsDeps,
  writer: Writer,
  id: string,
): Promise<PreparedWrite | RefusedChange> {
  if (await hasScope(context, writer.mapping, 'posts:read')) {
    const post = await readFirst(context, writer, (looking) => findPost(looking, id));
    if (!post) return { kind: 'refused', refusal: NO_SUCH_UPDATE };
    if (!isMovable(post)) return { kind: 'refused', refusal: NOT_TO_BE_MOVED };
  }
  return wordless({
    call: 'move_to_top',
    postId: id,
    write: { mutation: 'movePostInQueue', input: { id, position: 'top' } },
  });
}

async function prepared(
  context: PostsDeps,
  writer: Writer,
  change: UpdateChange,
): Promise<PreparedWrite | RefusedChange> {
  const { call, id } = change;
  switch (call) {
    case 'update':
      return editOf(context, writer, change);
    case 'share':
      return wordless({ call, postId: id, write: { mutation: 'editPost', input: { id, mode: 'shareNow' } } });
    case 'destroy':
      return wordless({ call, postId: id, write: { mutation: 'deletePost', input: { id } } });
    case 'move_to_top':
      return moveOf(context, writer, id);
  }
}

const wordless = (write: Write): PreparedWrite => ({ kind: 'prepared', write, leftOut: [] });

/**
 * The new API does not show the post, although the grant has the scope: the account itself lacks the right, as where the
 * write is refused so.
 */
function unlessForbidden(error: unknown): RefusedChange {
  if (!(error instanceof Forbidden)) throw error;
  const message = 'The account of this token has no right to this update.';
  const refusal = { kind: 'Forbidden', message, code: undefined, link: undefined } as const;
  return { kind: 'refused', refusal: refusalOfWrite(refusal, 'update') };
}

function endOf(end: WriteEnd, call: UpdateChange['call']): ChangeEnd {
  if (end.kind === 'done') return { kind: 'done', post: end.post, leftOut: [] };
  if (end.kind === 'in_doubt') return { kind: 'in_doubt', message: end.message };
  const isMove = call === 'move_to_top';
  return {
    kind: 'refused',
    refusal: isMove ? refusalOfMove(end.refusal) : refusalOfWrite(end.refusal, 'update'),
  };
}

/**
 * Changes one post.
 * @throws {FieldRefused | ScopeMissing | GrantDead | TokenRefused | LimitReached | Unavailable} nothing was changed
 */
export async function changeUpdate(
  context: PostsDeps,
  writer: Writer,
  change: UpdateChange,
): Promise<ChangeEnd> {
  if (!isUpdateId(change.id)) return { kind: 'refused', refusal: NO_SUCH_UPDATE };
  await requireScope(context, writer.mapping, 'posts:write');
  const preparing = await prepared(context, writer, change).catch(unlessForbidden);
  if (preparing.kind === 'refused') return preparing;
  try {
    const { sent, end } = await sendChange(context, writer, preparing);
    const { write, leftOut } = sent;
    const settled = end.kind === 'in_doubt' ? await settleInCall(context, writer, { end, write }) : end;
    await requireRight(context, writer, settled);
    const ended = endOf(settled, change.call);
    if (ended.kind === 'refused') return { ...ended, wasInDoubt: end.kind === 'in_doubt' };
    return ended.kind === 'done' ? { ...ended, leftOut } : ended;
  } catch (error) {
    if (error instanceof WriteTooLarge)
      throw new FieldRefused('text', 1006, 'The update is larger than the new API takes.');
    throw error;
  }
}
