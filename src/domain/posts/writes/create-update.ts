import pLimit, { type LimitFunction } from 'p-limit';
import { FieldRefused, type FieldPairs } from '../../translation/call-fields.ts';
import { type NewUpdate, newUpdate } from '../../translation/new-update.ts';
import { type OldRefusal, refusalOfField, refusalOfWrite } from '../../translation/old-refusal.ts';
import { createInput, type PostInput } from '../../translation/post-input.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { PostsDeps } from '../deps.ts';
import type { Caller } from '../../ids/match-ids.ts';
import { contentText } from '../../ids/updates/content-digest.ts';
import { knownCounts } from '../known-counts.ts';
import { type NamedProfile, type NamedProfiles, profilesNamed } from '../known-profiles.ts';
import { requireScope, ScopeMissing } from '../scope-missing.ts';
import { boardOwners, type ProfilesCreate, withOwnBoards } from './own-boards.ts';
import { requireRight } from './require-right.ts';
import { sendWrite, WriteTooLarge } from './send-write.ts';
import { settleInCall } from './settle-in-call.ts';
import { logUnexpected, whyNotSent } from './why-not-sent.ts';
import type { Write, WriteEnd, Writer } from './writes.ts';

/** Makes one post for each profile in an old create. */

/** The outcome of the post for one profile. */
export type ProfileEnd = NamedProfile &
  (
    | { kind: 'done'; post: WrittenPost; leftOut: string[] }
    | { kind: 'refused'; refusal: OldRefusal }
    /** `message` is the text of the new API about the fault. `error` is a failure of the bridge after the sending. */
    | { kind: 'in_doubt'; message?: string | undefined; error?: unknown }
    /** Nothing was sent. */
    | { kind: 'not_sent'; error: unknown; why: string }
  );

export interface CreatedUpdates {
  update: NewUpdate;
  ends: ProfileEnd[];
  named: NamedProfiles;
  /** The length of the queue of the first profile with a new post, if the length is known. */
  pending: number | undefined;
}

/** The most posts of one call at the same time. */
const AT_ONCE = 4;

/** The addresses of the pictures and videos in an input. */
function sourcesOf({ assets }: Record<string, unknown>): string[] {
  const all = (assets ?? []) as Array<Record<string, { url: string }>>;
  return all.flatMap((asset) => Object.values(asset).map(({ url }) => url));
}

function writeOf(update: NewUpdate, { channel }: NamedProfile, { input }: PostInput): Write {
  const { text, timing, isDraft } = update;
  const dueAt = timing?.mode === 'customScheduled' && !isDraft ? timing.dueAt : undefined;
  return {
    call: 'create',
    write: { mutation: 'createPost', input },
    organizationId: channel.organizationId,
    channelId: channel.id,
    content: contentText({ channelId: channel.id, text, dueAt, isDraft }),
    sources: sourcesOf(input),
  };
}

function endOf(profile: NamedProfile, end: WriteEnd, leftOut: string[]): ProfileEnd {
  if (end.kind === 'done' && end.post) return { ...profile, kind: 'done', post: end.post, leftOut };
  if (end.kind === 'refused')
    return { ...profile, kind: 'refused', refusal: refusalOfWrite(end.refusal, 'profile') };
  return { ...profile, kind: 'in_doubt', message: end.kind === 'in_doubt' ? end.message : undefined };
}

const TOO_LARGE = { status: 400, code: 1006, message: 'The post is larger than the new API takes.' };

/** An error of a send proves that no post was made for this profile. Posts for other profiles may exist by then. */
function endOfFailure(profile: NamedProfile, error: unknown): ProfileEnd {
  if (error instanceof FieldRefused) return { ...profile, kind: 'refused', refusal: refusalOfField(error) };
  if (error instanceof WriteTooLarge) return { ...profile, kind: 'refused', refusal: TOO_LARGE };
  return { ...profile, kind: 'not_sent', error, why: whyNotSent(error) };
}

/** The new API took the time of a draft and did not keep it. */
function lostTime({ isDraft, timing }: NewUpdate, end: WriteEnd): string[] {
  const isLost =
    isDraft && timing?.mode === 'customScheduled' && end.kind === 'done' && end.post?.dueAt === null;
  return isLost ? ['scheduled_at, for a draft has no time'] : [];
}

interface ProfileWrite {
  writer: Writer;
  update: NewUpdate;
  profile: NamedProfile;
  write: Write;
  leftOut: string[];
}

/** The outcome of a sent post. A failure here does not prove anything about the post. */
async function endOfSent(
  context: PostsDeps,
  { writer, update, profile, write, leftOut }: ProfileWrite,
  end: WriteEnd,
): Promise<ProfileEnd> {
  try {
    const settled = end.kind === 'in_doubt' ? await settleInCall(context, writer, { end, write }) : end;
    await requireRight(context, writer, settled);
    return endOf(profile, settled, [...leftOut, ...lostTime(update, settled)]);
  } catch (error) {
    return error instanceof ScopeMissing
      ? endOfFailure(profile, error)
      : { ...profile, kind: 'in_doubt', error };
  }
}

/** Waits for the boards take no place among the posts that are sent at the same time. */
async function postTo(
  context: PostsDeps,
  create: ProfilesCreate & { atOnce: LimitFunction },
  profile: NamedProfile,
): Promise<ProfileEnd> {
  const { writer, atOnce } = create;
  try {
    const { update, leftOut: lostBoards } = await withOwnBoards(create, profile);
    const input = createInput(update, profile.channel);
    const write = writeOf(update, profile, input);
    const leftOut = [...input.leftOut, ...lostBoards];
    return await atOnce(async () => {
      const end = await sendWrite(context, writer, write);
      return endOfSent(context, { writer, update, profile, write, leftOut }, end);
    });
  } catch (error) {
    return endOfFailure(profile, error);
  }
}

/** @throws {FieldRefused} */
function requireProfile({ profiles }: NamedProfiles): void {
  if (profiles.length > 0) return;
  throw new FieldRefused(
    'profile_ids',
    1011,
    'The parameter profile_ids names no profile that this token can post to.',
  );
}

async function pendingAfter(
  context: PostsDeps,
  { mapping }: Writer,
  ends: readonly ProfileEnd[],
): Promise<number | undefined> {
  const first = ends.find(({ kind }) => kind === 'done');
  if (first?.kind !== 'done') return undefined;
  return (await knownCounts(context, mapping.grant_id)).countsOf(first.post.channelId).pending;
}

/** If no post was sent, the first error ends the whole call. */
function throwIfNothingSent(ends: readonly ProfileEnd[]): void {
  const [first] = ends;
  if (first?.kind === 'not_sent' && ends.every(({ kind }) => kind === 'not_sent')) throw first.error;
}

const errorOf = (end: ProfileEnd): unknown[] =>
  'error' in end && end.error !== undefined ? [end.error] : [];

/**
 * Makes the posts of an old create. `ends` has one entry for each profile, in the order of the call.
 * @throws {FieldRefused | ScopeMissing | GrantDead | TokenRefused | Unavailable} nothing was posted
 */
export async function createUpdates(
  context: PostsDeps,
  caller: Caller,
  { pairs, writer }: { pairs: FieldPairs; writer: Writer },
): Promise<CreatedUpdates> {
  const update = newUpdate(pairs, context.clock.now());
  await requireScope(context, caller.mapping, 'posts:write');
  const named = await profilesNamed(context, caller, update.profileIds);
  requireProfile(named);
  const owners = boardOwners(context, { writer, update, named });
  const create = { writer, update, named, owners, atOnce: pLimit(AT_ONCE) };
  const ends = await Promise.all(named.profiles.map((profile) => postTo(context, create, profile)));
  throwIfNothingSent(ends);
  logUnexpected(context, writer, ends.flatMap(errorOf));
  return { update, ends, named, pending: await pendingAfter(context, writer, ends) };
}
