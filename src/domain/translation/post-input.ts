import type { Asset } from '../../upstream/posts/post.ts';
import { FIELD_CODES, FieldRefused } from './call-fields.ts';
import { addressOf, lostExtra } from './extra-media.ts';
import type { NewUpdate, UpdateContent, UpdateMedia } from './new-update.ts';

/**
 * Converts an update of the old API to the input of `createPost` and `editPost` of the new API. Some services need
 * fields there that the old API never asked for.
 */

/** The channel of a post. Its service decides the form of the post. */
export interface PostChannel {
  id: string;
  service: string;
}

/** A post that is edited, as the new API has it. */
export interface EditedPost {
  service: string;
  /** Its kind where the service has kinds (`post`, `reel`, `story`, `offer`); undefined where it is not known. */
  type: string | undefined;
  /** The title and the link of a pin. */
  title?: string | undefined;
  url?: string | undefined;
  /** Whether it shows a linked page. */
  hasLink: boolean;
  /** Its pictures, videos and documents, in their order. */
  assets: ReadonlyArray<Pick<Asset, 'type' | 'source'>>;
}

type Metadata = Record<string, Record<string, unknown>>;

/** An input of `createPost` or `editPost`. `leftOut` says in words what the service could not take. */
export interface PostInput {
  input: Record<string, unknown>;
  leftOut: string[];
}

/** Services whose posts have a link preview. */
const LINK_TAKERS = ['facebook', 'linkedin', 'threads', 'bluesky'];

const keyOf = (service: string) => (service === 'googlebusiness' ? 'google' : service);

/** The fields that the new API requires of every post of a service. */
const DEFAULTS: Record<string, Record<string, unknown>> = {
  facebook: { type: 'post' },
  instagram: { type: 'post', shouldShareToFeed: true },
  google: { type: 'whats_new' },
};

/** Kinds of posts with media or fields that a link would take away. */
const OWN_KINDS: ReadonlySet<string> = new Set(['reel', 'story', 'offer', 'event']);

/** The kinds that an edit can name, so that a post keeps its own. */
const KEPT_KINDS: Record<string, readonly string[]> = { facebook: ['post', 'reel', 'story'] };

const withoutAbsent = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const imageOf = (url: string | undefined, thumbnailUrl: string | undefined): object[] =>
  url === undefined ? [] : [{ image: withoutAbsent({ url, thumbnailUrl }) }];

/** The embedded new API takes no more in a post. With more the whole post would be refused. */
const MOST_IMAGES = 20;

/**
 * The picture that stands first. Beside a link, `picture` is that of its preview. Twitter ignored it, by
 * the documentation of the old API; other services without link previews show it as a picture.
 */
function firstPicture({ photo, picture, link }: UpdateMedia, service: string): string | undefined {
  const isPreview = link !== undefined && service === 'twitter';
  return photo ?? (isPreview ? undefined : picture);
}

/**
 * The pictures or the video. A picture belongs to the link preview only where the service has link previews. Beside a
 * preview or a video a post has no pictures.
 */
function assetsOf(media: UpdateMedia, service: string): object[] {
  const { photo, thumbnail, video, link, extra } = media;
  if (video !== undefined) return [{ video: { url: video } }];
  if (link !== undefined && LINK_TAKERS.includes(service) && photo === undefined) return [];
  const further = extra.flatMap((one) => imageOf(addressOf(one), one.thumbnail));
  return [...imageOf(firstPicture(media, service), thumbnail), ...further].slice(0, MOST_IMAGES);
}

function attachmentOf(media: UpdateMedia): Record<string, unknown> {
  const { link, title, description, picture = media.thumbnail } = media;
  const thumbnail = picture === undefined ? undefined : { url: picture };
  return withoutAbsent({ url: link, title, description, thumbnail });
}

/**
 * The fields for the link of an update. A service without a field for links can only have the link in the text. A pin
 * has a title without a link too.
 */
function linkFieldsOf(media: UpdateMedia, service: string, hasAssets: boolean): Record<string, unknown> {
  const { link, title } = media;
  if (service === 'pinterest') return withoutAbsent({ url: link, title });
  if (link === undefined) return {};
  if (LINK_TAKERS.includes(service)) return hasAssets ? {} : { linkAttachment: attachmentOf(media) };
  if (service === 'googlebusiness') return { detailsWhatsNew: { button: 'learn_more', link } };
  return {};
}

function lostLink({ media: { link }, text }: UpdateContent, linkFields: object): string[] {
  const isLost = link !== undefined && Object.keys(linkFields).length === 0 && !text.includes(link);
  return isLost
    ? [`the link ${link}, for which a post of this service has no place beside its text and media`]
    : [];
}

const ADDRESSES = ['photo', 'picture', 'thumbnail', 'video'] as const;

/** A post has pictures or one video, and a link preview one picture, of which the thumbnail is a smaller form. */
function lostMedia(media: UpdateMedia, sent: { assets: object[]; linkFields: object }): string[] {
  const text = JSON.stringify(sent);
  const isAlone = sent.assets.length === 0 && Object.keys(sent.linkFields).length === 0;
  const place = isAlone ? 'no place' : 'no place beside its other media';
  const isSmallerForm = (name: string) => name === 'thumbnail' && text.includes('"linkAttachment"');
  const lost = ADDRESSES.flatMap((name) => {
    const address = media[name];
    const isLost = address !== undefined && !isSmallerForm(name) && !text.includes(JSON.stringify(address));
    return isLost ? [`media[${name}] ${address}, for which the post has ${place}`] : [];
  });
  return [...lost, ...lostExtra(media.extra, (address) => text.includes(JSON.stringify(address)))];
}

const WORDS = ['title', 'description'] as const;

/**
 * The title and description of a link preview or a pin. Where the link has no field, its title and description are
 * lost, even if the text contains the link: the network then makes its own preview.
 */
function lostWords(media: UpdateMedia, linkFields: Record<string, unknown>): string[] {
  const sent = JSON.stringify(linkFields);
  const isLost = (name: (typeof WORDS)[number]) =>
    media[name] !== undefined && !sent.includes(`"${name}":${JSON.stringify(media[name])}`);
  return WORDS.filter(isLost).map((name) => `media[${name}], for which the post has no place`);
}

const lostNames = ({ unknown }: UpdateMedia) =>
  unknown.map((name) => `${name}, which is no parameter of an update`);

function refused(field: string, message: string): FieldRefused {
  return new FieldRefused(field, FIELD_CODES.notSaved, message);
}

/** The new API refuses a pin without a board. The old API had boards as subprofiles. */
function boardOf({ subprofileIds, isDraft }: NewUpdate): Record<string, unknown> {
  const [board, another] = subprofileIds;
  if (another !== undefined)
    throw refused('subprofile_ids', 'The parameter subprofile_ids can name one Pinterest board only.');
  if (board !== undefined) return { boardServiceId: board };
  if (isDraft) return {};
  throw new FieldRefused(
    'subprofile_ids',
    FIELD_CODES.missing,
    'The parameter subprofile_ids is missing: a post for Pinterest needs a board.',
  );
}

function retweetOf({ retweet }: NewUpdate, service: string): Record<string, unknown> {
  return retweet && service === 'twitter' ? { retweet: withoutAbsent({ ...retweet }) } : {};
}

/** By its documentation the old API ignored the retweet at the other profiles of a call. */
function lostRetweet({ retweet }: NewUpdate, service: string): string[] {
  return retweet && service !== 'twitter' ? ['retweet, which is for Twitter profiles alone'] : [];
}

/** The fields that only one service has. @throws {FieldRefused} */
function ownFieldsOf(update: NewUpdate, service: string): Record<string, unknown> {
  if (service === 'youtube' && !update.isDraft)
    throw refused(
      'profile_ids',
      'A YouTube profile cannot be posted to from here: a video needs a title and a category, which the old API has no parameters for. It can be saved as a draft (is_draft), to be finished by a person.',
    );
  return { ...retweetOf(update, service), ...(service === 'pinterest' ? boardOf(update) : {}) };
}

function metadataFor(service: string, fields: Record<string, unknown>): Metadata | undefined {
  const key = keyOf(service);
  const own = { ...DEFAULTS[key], ...fields };
  return Object.keys(own).length === 0 ? undefined : { [key]: own };
}

function timingFields({ timing }: UpdateContent): Record<string, unknown> {
  if (timing?.mode !== 'customScheduled') return withoutAbsent({ mode: timing?.mode });
  return { mode: timing.mode, dueAt: new Date(timing.dueAt).toISOString() };
}

/** The media of an update in the form of a service. `isLinkTaken`: whether the post has a place for a link. */
function mediaOf(update: UpdateContent, service: string, isLinkTaken = true) {
  const { media } = update;
  const assets = assetsOf(media, service);
  const linkFields = isLinkTaken ? linkFieldsOf(media, service, assets.length > 0) : {};
  const leftOut = [
    ...lostLink(update, linkFields),
    ...lostMedia(media, { assets, linkFields }),
    ...lostWords(media, linkFields),
    ...lostNames(media),
  ];
  return { assets, linkFields, leftOut };
}

/**
 * The input of `createPost` for one channel.
 * @throws {FieldRefused} the service cannot take the update
 */
export function createInput(update: NewUpdate, channel: PostChannel): PostInput {
  const { service, id: channelId } = channel;
  const { assets, linkFields, leftOut: lost } = mediaOf(update, service);
  const leftOut = [...lost, ...lostRetweet(update, service)];
  const metadata = metadataFor(service, { ...ownFieldsOf(update, service), ...linkFields });
  const { text, isDraft } = update;
  const own = { channelId, schedulingType: 'automatic', mode: 'addToQueue', text };
  const fields = withoutAbsent({ assets, metadata });
  const draft = isDraft ? { saveToDraft: true } : {};
  return { input: { ...own, ...timingFields(update), ...fields, ...draft }, leftOut };
}

const hasPlaceForLink = ({ type }: EditedPost) => type === undefined || !OWN_KINDS.has(type);

/** What the post keeps although a field of its service is sent. */
function keptOf({ service, type, title, url }: EditedPost): object {
  if (service === 'pinterest') return withoutAbsent({ title, url });
  return type !== undefined && KEPT_KINDS[service]?.includes(type) === true ? { type } : {};
}

/**
 * Whether all pictures of a call stand in the post already, where the call names them. An old program sends back what it has
 * read, or a part of it: `media` without `extra_media`, or without the video, for whose address the old API had no name.
 */
function standAlready(media: UpdateMedia, { service, assets: [head, ...rest] }: EditedPost): boolean {
  if (media.video !== undefined) return false;
  const first = firstPicture(media, service);
  const isFirst = first === undefined || (head?.type === 'image' && head.source === first);
  const pictures = rest.filter(({ type }) => type === 'image').map(({ source }) => source);
  const named = media.extra.map(addressOf).filter((address) => address !== undefined);
  return isFirst && named.every((address, place) => address === pictures[place]);
}

/** What goes with an edit that brings other media, beside the first picture, in whose place the new one stands. */
function replacedMedia({ assets: [, ...rest] }: EditedPost, sent: object[]): string[] {
  const text = JSON.stringify(sent);
  const gone = rest.filter(({ source }) => !text.includes(JSON.stringify(source)));
  return gone.length === 0 ? [] : ['the further media that the update had and the call does not name'];
}

/**
 * The media of an edit. The new API keeps what an edit leaves out, and replaces its media and the fields of its service
 * whole. So an edit names pictures only where the call brings some or a link that excludes them, and the fields of the
 * service only where a link comes or has to go; the post stays the kind of post that it is.
 */
function editedMedia(update: UpdateContent, post: EditedPost) {
  const { service } = post;
  const { assets, linkFields, leftOut } = mediaOf(update, service, hasPlaceForLink(post));
  const hasAssets = assets.length > 0 && !standAlready(update.media, post);
  const link = post.hasLink && hasAssets ? { linkAttachment: null } : linkFields;
  const isNamed = Object.keys(link).length > 0;
  return {
    fields: withoutAbsent({
      assets: hasAssets || 'linkAttachment' in linkFields ? assets : undefined,
      metadata: isNamed ? metadataFor(service, { ...keptOf(post), ...link }) : undefined,
    }),
    leftOut: hasAssets ? [...leftOut, ...replacedMedia(post, assets)] : leftOut,
  };
}

/** The input of `editPost`. The form of media and of a title depends on the post, so without it they are left out. */
export function editInput(id: string, update: UpdateContent, post: EditedPost | undefined): PostInput {
  const own = { id, text: update.text, ...timingFields(update) };
  if (!post) {
    const lost = lostMedia(update.media, { assets: [], linkFields: {} });
    return { input: own, leftOut: [...lost, ...lostWords(update.media, {}), ...lostNames(update.media)] };
  }
  const { fields, leftOut } = editedMedia(update, post);
  return { input: { ...own, ...fields }, leftOut };
}
