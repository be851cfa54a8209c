import {
  badValue,
  boundedText,
  FIELD_CODES,
  FieldRefused,
  flag,
  list,
  type FieldPairs,
  single,
  webAddress,
} from './call-fields.ts';
import { dueTime } from './due-time.ts';
import { addressOf, extraMediaIn, type ExtraPicture, LONGEST_ALT_TEXT } from './extra-media.ts';

/**
 * Reads the parameters of a create or update of the old API. `shorten` and `attachment` are accepted and have no
 * effect: the new API shortens links according to the channel's setting, and finds previews without help.
 */

/** As much as the embedded new API takes, of a text and of the words of a link. */
const LONGEST_TEXT = 10_000;

/** The longest id, and the longest name that an answer quotes. */
const LONGEST_NAME = 100;

/** The most profiles in one call. Each profile costs a request. */
const MOST_PROFILES = 50;

export interface UpdateMedia {
  photo: string | undefined;
  /** The picture of a link's preview; a picture of the post where the post has no link. */
  picture: string | undefined;
  thumbnail: string | undefined;
  video: string | undefined;
  link: string | undefined;
  title: string | undefined;
  description: string | undefined;
  /** The alternative text of the first picture. */
  altText: string | undefined;
  /** The pictures after the first one. */
  extra: ExtraPicture[];
  /** Names that are not parameters. Their values are lost. */
  unknown: string[];
  /** Whether `media` came as one plain text, which has no place in a post. */
  isText: boolean;
}

/** When the post is published; undefined leaves the time unchanged. `addToQueue` is for posts that have a time of their own. */
type Timing =
  | { mode: 'shareNow' | 'shareNext' | 'addToQueue' }
  | { mode: 'customScheduled'; dueAt: number }
  | undefined;

export interface UpdateContent {
  text: string;
  timing: Timing;
  media: UpdateMedia;
}

export interface NewUpdate extends UpdateContent {
  /** The ids in the caller's order, each once. */
  profileIds: string[];
  retweet: { id: string; comment: string | undefined } | undefined;
  isDraft: boolean;
  /** Pinterest boards. */
  subprofileIds: string[];
}

const MEDIA_FIELD = /^media\[([\w-]*)\]$/;

function requireMap(pairs: FieldPairs): void {
  const own = pairs.filter(([name, value]) => name.startsWith('media[') && value !== '');
  if (own.some(([name]) => !MEDIA_FIELD.test(name)))
    throw badValue('media', 'has to be a map of single values, such as media[link]');
}

const MEDIA_NAMES = ['photo', 'picture', 'thumbnail', 'video', 'link', 'title', 'description', 'alt_text'];

function unknownNames(pairs: FieldPairs): string[] {
  const names = pairs.filter(([, value]) => value !== '').map(([name]) => MEDIA_FIELD.exec(name)?.[1]);
  const unknown = names.filter((name) => name !== undefined && !MEDIA_NAMES.includes(name));
  return [...new Set(unknown.map((name) => `media[${name?.slice(0, LONGEST_NAME)}]`))];
}

function mediaIn(pairs: FieldPairs): UpdateMedia {
  requireMap(pairs);
  const { extra, unknown } = extraMediaIn(pairs);
  return {
    photo: webAddress(pairs, 'media[photo]'),
    picture: webAddress(pairs, 'media[picture]'),
    thumbnail: webAddress(pairs, 'media[thumbnail]'),
    video: webAddress(pairs, 'media[video]'),
    link: webAddress(pairs, 'media[link]'),
    title: boundedText(pairs, 'media[title]', LONGEST_TEXT),
    description: boundedText(pairs, 'media[description]', LONGEST_TEXT),
    altText: boundedText(pairs, 'media[alt_text]', LONGEST_ALT_TEXT),
    extra,
    unknown: [...unknownNames(pairs), ...unknown],
    isText: pairs.some(([name, value]) => name === 'media' && value !== ''),
  };
}

/** Whether the update has an attachment. A title, a description, an alternative text or a thumbnail alone is not an attachment. */
export function hasMedia({ photo, picture, video, link, extra }: UpdateMedia): boolean {
  return [photo, picture, video, link, ...extra.map(addressOf)].some((address) => address !== undefined);
}

/** `scheduled_at` wins over `now`, and `now` wins over `top`. */
function timingIn(pairs: FieldPairs, now: number): Timing {
  const [isNow, isNext] = [flag(pairs, 'now'), flag(pairs, 'top')];
  const scheduledAt = single(pairs, 'scheduled_at');
  if (scheduledAt !== undefined) return { mode: 'customScheduled', dueAt: dueTime(scheduledAt, now) };
  if (isNow) return { mode: 'shareNow' };
  return isNext ? { mode: 'shareNext' } : undefined;
}

function retweetIn(pairs: FieldPairs): NewUpdate['retweet'] {
  if (pairs.some(([name, value]) => name === 'retweet' && value !== ''))
    throw badValue('retweet', 'has to be a map, such as retweet[tweet_id]');
  const id = single(pairs, 'retweet[tweet_id]');
  const comment = boundedText(pairs, 'retweet[comment]', LONGEST_TEXT);
  if (id === undefined && comment === undefined) return undefined;
  if (id === undefined) throw missing('retweet[tweet_id]');
  if (!/^\d{1,20}$/.test(id)) throw badValue('retweet[tweet_id]', 'has to be the number of a tweet');
  return { id, comment };
}

function missing(field: string): FieldRefused {
  return new FieldRefused(field, FIELD_CODES.missing, `The parameter ${field} is missing.`);
}

function profileIdsIn(pairs: FieldPairs): string[] {
  const ids = list(pairs, 'profile_ids');
  if (ids.length === 0) throw missing('profile_ids');
  if (ids.length > MOST_PROFILES) throw badValue('profile_ids', `names more than ${MOST_PROFILES} profiles`);
  return ids;
}

/** The ids are sent on to the new API, therefore their length is bounded. @throws {FieldRefused} */
function subprofileIdsIn(pairs: FieldPairs): string[] {
  const ids = list(pairs, 'subprofile_ids');
  if (ids.some((id) => id.length > LONGEST_NAME))
    throw badValue('subprofile_ids', `holds an id of more than ${LONGEST_NAME} characters`);
  return ids;
}

/** Checks parameters that have no effect: an unusable value is still refused. */
function checkIdle(pairs: FieldPairs): void {
  flag(pairs, 'shorten');
  flag(pairs, 'attachment');
}

/**
 * The parameters of POST updates/create. `now` in Unix milliseconds.
 * @throws {FieldRefused}
 */
export function newUpdate(pairs: FieldPairs, now: number): NewUpdate {
  checkIdle(pairs);
  const update = {
    profileIds: profileIdsIn(pairs),
    text: boundedText(pairs, 'text', LONGEST_TEXT) ?? '',
    timing: timingIn(pairs, now),
    media: mediaIn(pairs),
    retweet: retweetIn(pairs),
    isDraft: flag(pairs, 'is_draft'),
    subprofileIds: subprofileIdsIn(pairs),
  };
  if (update.text.trim() === '' && !hasMedia(update.media) && !update.retweet) throw missing('text');
  return update;
}

/**
 * An empty `scheduled_at` takes a time of its own away from an update. The iPhone program of the service sent one where a
 * person had removed the time. Every other empty parameter counts as absent.
 */
const clearedTime = (pairs: FieldPairs): Timing =>
  pairs.some(([name, value]) => name === 'scheduled_at' && value === '') ? { mode: 'addToQueue' } : undefined;

/**
 * The parameters of POST updates/:id/update. `now` in Unix milliseconds.
 * @throws {FieldRefused}
 */
export function changedUpdate(pairs: FieldPairs, now: number): UpdateContent {
  checkIdle(pairs);
  const text = boundedText(pairs, 'text', LONGEST_TEXT);
  if (text === undefined) throw missing('text');
  return { text, timing: timingIn(pairs, now) ?? clearedTime(pairs), media: mediaIn(pairs) };
}
