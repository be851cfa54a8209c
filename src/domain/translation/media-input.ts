import { addressOf, lostExtra } from './extra-media.ts';
import type { UpdateContent, UpdateMedia } from './new-update.ts';

/** The media of an update of the old API as assets and fields of a link at the new API, and what has no place there. */

/** Services whose posts have a link preview. */
const LINK_TAKERS = ['facebook', 'linkedin', 'threads', 'bluesky'];

/** The fields that have a value. */
export const withoutAbsent = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** An asset of an input. */
export interface SentAsset {
  image?: { url: string; thumbnailUrl?: string; metadata?: Record<string, unknown> };
  video?: { url: string; metadata?: Record<string, unknown> };
  document?: { url: string; title: string; thumbnailUrl: string };
}

interface PictureInput {
  url: string | undefined;
  thumbnail: string | undefined;
  altText: string | undefined;
}

function imageOf({ url, thumbnail, altText }: PictureInput): SentAsset[] {
  if (url === undefined) return [];
  const small = thumbnail === undefined ? {} : { thumbnailUrl: thumbnail };
  return [{ image: { url, ...small, ...(altText === undefined ? {} : { metadata: { altText } }) } }];
}

/** The embedded new API takes no more in a post. With more the whole post would be refused. */
const MOST_IMAGES = 20;

/**
 * The picture that stands first. Beside a link, `picture` is that of its preview. Twitter ignored it, by
 * the documentation of the old API; other services without link previews show it as a picture.
 */
export function firstPicture({ photo, picture, link }: UpdateMedia, service: string): string | undefined {
  const isPreview = link !== undefined && service === 'twitter';
  return photo ?? (isPreview ? undefined : picture);
}

/** Whether a call names what a post shows first: its picture, its video, or a link preview. */
export const bringsFirst = (media: UpdateMedia, service: string): boolean =>
  media.video !== undefined ||
  firstPicture(media, service) !== undefined ||
  (media.link !== undefined && LINK_TAKERS.includes(service));

/**
 * The pictures or the video. A picture belongs to the link preview only where the service has link previews. Beside a
 * preview or a video a post has no pictures.
 */
function assetsOf(media: UpdateMedia, service: string): SentAsset[] {
  const { photo, thumbnail, video, link, extra, altText } = media;
  if (video !== undefined) return [{ video: { url: video } }];
  if (link !== undefined && LINK_TAKERS.includes(service) && photo === undefined) return [];
  const first = imageOf({ url: firstPicture(media, service), thumbnail, altText });
  const further = extra.flatMap((one) => imageOf({ ...one, url: addressOf(one) }));
  return [...first, ...further].slice(0, MOST_IMAGES);
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

/** The alternative text of the first picture, where the post does not have that picture. */
const lostAltText = ({ altText }: UpdateMedia, assets: readonly SentAsset[]) =>
  altText === undefined || assets[0]?.image?.metadata?.['altText'] === altText
    ? []
    : ['media[alt_text], for which the post has no place'];

const TEXT_FOR_MEDIA = 'media, which has to be a map, such as media[link]';

const lostNames = ({ unknown, isText }: UpdateMedia) => [
  ...(isText ? [TEXT_FOR_MEDIA] : []),
  ...unknown.map((name) => `${name}, which is no parameter of an update`),
];

interface MediaInput {
  assets: SentAsset[];
  /** The fields of the service for the link, and for the title of a pin. */
  linkFields: Record<string, unknown>;
}

/** What of the media of an update is not in the input, in words. */
export function lostOf(update: UpdateContent, { assets, linkFields }: MediaInput): string[] {
  const { media } = update;
  return [
    ...lostLink(update, linkFields),
    ...lostMedia(media, { assets, linkFields }),
    ...lostWords(media, linkFields),
    ...lostAltText(media, assets),
    ...lostNames(media),
  ];
}

/** The media of an update in the form of a service. `isLinkTaken`: whether the post has a place for a link. */
export function mediaInput(
  update: UpdateContent,
  service: string,
  isLinkTaken = true,
): MediaInput & { leftOut: string[] } {
  const assets = assetsOf(update.media, service);
  const linkFields = isLinkTaken ? linkFieldsOf(update.media, service, assets.length > 0) : {};
  return { assets, linkFields, leftOut: lostOf(update, { assets, linkFields }) };
}
