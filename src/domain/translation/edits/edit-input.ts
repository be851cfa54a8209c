import { addressOf } from '../extra-media.ts';
import {
  bringsFirst,
  firstPicture,
  lostOf,
  mediaInput,
  type SentAsset,
  withoutAbsent,
} from '../media-input.ts';
import type { UpdateContent, UpdateMedia } from '../new-update.ts';
import { serviceMetadata, type PostInput, timingFields } from '../post-input.ts';
import { type EditedPost, inputOfAsset, wordsOfPicture } from './edited-post.ts';

/**
 * Converts an update of an existing post to the input of `editPost` of the new API, which keeps what an edit leaves out, and
 * replaces the media and the fields of a service whole.
 */

/** Kinds of posts with media or fields that a link would take away. */
const OWN_KINDS: ReadonlySet<string> = new Set(['reel', 'story', 'offer', 'event']);

const hasPlaceForLink = ({ type }: EditedPost) => type === undefined || !OWN_KINDS.has(type);

/** The named further pictures of a call, in their order. */
const namedExtra = ({ extra }: UpdateMedia) => extra.filter((one) => addressOf(one) !== undefined);

/**
 * Whether all pictures of a call stand in the post already, where the call names them. An old program sends back what it has
 * read, or a part of it: `media` without `extra_media`, or without the video, for whose address the old API had no name.
 */
function standAlready(media: UpdateMedia, { service, assets: [head, ...rest] }: EditedPost): boolean {
  if (media.video !== undefined) return false;
  const first = firstPicture(media, service);
  const isFirst = first === undefined || (head?.type === 'image' && head.source === first);
  const pictures = rest.filter(({ type }) => type === 'image').map(({ source }) => source);
  return isFirst && namedExtra(media).every((one, place) => addressOf(one) === pictures[place]);
}

/** The media of a post whose pictures stay; undefined where the call brings no other alternative text for one of them. */
function withOtherTexts(media: UpdateMedia, { service, assets }: EditedPost): SentAsset[] | undefined {
  const texts = namedExtra(media).map(({ altText }) => altText);
  let isOther = false;
  const sent = assets.flatMap((asset, at) => {
    const isHead = at === 0 && firstPicture(media, service) !== undefined;
    const isFurther = at > 0 && asset.type === 'image';
    const ofFurther = isFurther ? texts.shift() : undefined;
    const altText = isHead ? media.altText : ofFurther;
    if (altText === undefined || altText === asset.image?.altText) return inputOfAsset(asset);
    isOther = true;
    return inputOfAsset({ ...asset, image: { ...asset.image, altText } });
  });
  return isOther ? sent : undefined;
}

/** A picture that the post has already keeps what is said of it, but for what the call says of it. */
function withKeptWords(sent: readonly SentAsset[], { assets }: EditedPost): SentAsset[] {
  return sent.map((one) => {
    const standing = assets.find(({ type, source }) => type === 'image' && source === one.image?.url);
    const words = standing && wordsOfPicture(standing);
    return one.image && words
      ? { image: { ...one.image, metadata: { ...words, ...one.image.metadata } } }
      : one;
  });
}

/** What goes with an edit that brings other media, beside the first picture, in whose place the new one stands. */
function replacedMedia({ assets: [, ...rest] }: EditedPost, sent: readonly SentAsset[]): string[] {
  const text = JSON.stringify(sent);
  const gone = rest.filter(({ source }) => !text.includes(JSON.stringify(source)));
  return gone.length === 0 ? [] : ['the further media that the update had and the call does not name'];
}

interface SentMedia {
  /** Undefined where the media of the post stay. */
  assets: SentAsset[] | undefined;
  /** The fields of a link that comes or goes; null where it goes. */
  link: Record<string, unknown>;
  leftOut: string[];
}

/** A program that made a post with further pictures alone may send them as all of its pictures. So the answer says that the first stays. */
const FIRST_STAYS = 'a change of the first picture, because the call has no media[photo]';

/**
 * A call that names further pictures alone says nothing of what the post shows first. So a picture there counts as named,
 * unless it is one of those.
 */
function withFirst(update: UpdateContent, { service, assets: [head] }: EditedPost): UpdateContent {
  const { media } = update;
  const further = namedExtra(media).map(addressOf);
  const isNamed = further.length === 0 || bringsFirst(media, service);
  if (isNamed || head?.type !== 'image' || further.includes(head.source)) return update;
  const thumbnail = media.thumbnail ?? inputOfAsset(head)[0]?.image?.thumbnailUrl;
  return { ...update, media: { ...media, photo: head.source, thumbnail } };
}

/** What a post shows first that is no picture, where the call does not name another; the pictures follow it. */
const keptHead = ({ media }: UpdateContent, { service, assets: [head] }: EditedPost): SentAsset[] =>
  head === undefined || head.type === 'image' || bringsFirst(media, service) ? [] : inputOfAsset(head);

/** Whether a post shows something first that the call does not name, and that has no pictures beside it. */
function keepsFirst(update: UpdateContent, post: EditedPost): boolean {
  if (post.link !== undefined) return !bringsFirst(update.media, post.service);
  return keptHead(update, post).length > 0 && post.assets.every(({ type }) => type !== 'image');
}

/** The media where a call brings none, which stay unless a link preview excludes them. */
function mediaOfLink(
  { assets }: EditedPost,
  { linkFields: link, leftOut }: ReturnType<typeof mediaInput>,
): SentMedia {
  if (!('linkAttachment' in link)) return { assets: undefined, link, leftOut };
  const gone =
    assets.length === 0 ? [] : ['the media that the update had, for which its link leaves no place'];
  return { assets: [], link, leftOut: [...leftOut, ...gone] };
}

/** An edit names pictures only where the call brings some, other words for them, or a link that excludes them. */
function sentMedia(sent: UpdateContent, post: EditedPost): SentMedia {
  const update = standAlready(sent.media, post) ? sent : withFirst(sent, post);
  const { media } = update;
  const input = mediaInput(update, post.service, hasPlaceForLink(post));
  const { assets, linkFields: link, leftOut } = input;
  if (assets.length === 0) return mediaOfLink(post, input);
  if (standAlready(media, post)) return { assets: withOtherTexts(media, post), link, leftOut };
  if (keepsFirst(update, post)) {
    const kept = { assets: post.assets.flatMap(inputOfAsset), linkFields: link };
    return { assets: undefined, link, leftOut: lostOf(update, kept) };
  }
  const all = [...keptHead(update, post), ...assets];
  return {
    assets: withKeptWords(all, post),
    link: post.link ? { linkAttachment: null } : link,
    leftOut: [...leftOut, ...(update === sent ? [] : [FIRST_STAYS]), ...replacedMedia(post, all)],
  };
}

const sourcesOf = (assets: EditedPost['assets']) => assets.map(({ source }) => source).join(' ');

type Thread = Array<{ text: string; assets: SentAsset[] }>;

/** The thread of a post with the new text and the new media in its first part, which the new API demands. */
function threadOf(text: string, { thread, assets }: EditedPost, sent: SentAsset[] | undefined): Thread {
  const [first, ...rest] = thread.map((part) => ({
    text: part.text,
    assets: part.assets.flatMap(inputOfAsset),
    hasMediaOfPost: sourcesOf(part.assets) === sourcesOf(assets),
  }));
  if (!first) return [];
  const others = rest.map((part) => ({ text: part.text, assets: part.assets }));
  return [{ text, assets: first.hasMediaOfPost ? (sent ?? first.assets) : first.assets }, ...others];
}

/** Whether other words stand where the post has a mention. Its network would show them as the name of somebody. */
const isMentionLost = (text: string, post: EditedPost) =>
  post.mentions.some(([start, end]) => text.slice(start, end) !== post.text.slice(start, end));

/** Whether an edit of the text has to name fields of the service: the new API refuses a text that they do not fit. */
export const bindsText = (text: string, post: EditedPost): boolean =>
  post.thread.length > 0 || isMentionLost(text, post);

/**
 * The fields of the service: only where a link comes or goes, or where they do not fit the text. Then as the post has them,
 * but for its mentions: the new API does not tell all that an input has to say of one.
 */
function metadataOf(text: string, post: EditedPost, { assets, link }: SentMedia) {
  const thread = threadOf(text, post, assets);
  if (!bindsText(text, post) && Object.keys(link).length === 0) return undefined;
  const kept = post.link ? { ...post.kept, linkAttachment: post.link } : post.kept;
  const gone = post.mentions.length > 0 ? { annotations: [] } : {};
  return serviceMetadata(post.service, { ...kept, ...link, ...gone, ...(thread.length > 0 && { thread }) });
}

/** An update for a post. Only a post with a time of its own comes back to the queue: another one would lose its place there. */
export function timedFor(update: UpdateContent, post: EditedPost | undefined): UpdateContent {
  const isKept = update.timing?.mode === 'addToQueue' && post?.hasOwnTime !== true;
  return isKept ? { ...update, timing: undefined } : update;
}

const lostTime = ({ timing }: UpdateContent) =>
  timing?.mode === 'addToQueue'
    ? ['the empty scheduled_at, for this connection may not read the update']
    : [];

/** The input of `editPost`. The form of media and of a title depends on the post, so without it they are left out. */
export function editInput(id: string, update: UpdateContent, post: EditedPost | undefined): PostInput {
  const own = { id, text: update.text, ...timingFields(timedFor(update, post)) };
  if (!post)
    return { input: own, leftOut: [...lostTime(update), ...lostOf(update, { assets: [], linkFields: {} })] };
  const sent = sentMedia(update, post);
  const metadata = metadataOf(update.text, post, sent);
  const gone = metadata && post.mentions.length > 0 ? ['the mentions that the text of the update had'] : [];
  return {
    input: { ...own, ...withoutAbsent({ assets: sent.assets, metadata }) },
    leftOut: [...sent.leftOut, ...gone],
  };
}
