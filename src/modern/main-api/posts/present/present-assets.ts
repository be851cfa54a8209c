import { extname } from 'node:path/posix';
import type { AssetInput, DocumentInput, ImageInput, LinkAttachmentInput, VideoInput } from '../inputs.ts';

const mimeTypes: ReadonlyMap<string, string> = new Map([
  ['.gif', 'image/gif'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.png', 'image/png'],
  ['.webp', 'image/webp'],
  ['.mov', 'video/quicktime'],
  ['.mp4', 'video/mp4'],
  ['.webm', 'video/webm'],
  ['.pdf', 'application/pdf'],
]);

const mimeTypeOf = (url: string, otherwise: string) =>
  mimeTypes.get(extname(new URL(url).pathname).toLowerCase()) ?? otherwise;

function presentImage({ url, thumbnailUrl, metadata }: ImageInput) {
  const mimeType = () => mimeTypeOf(url, 'image/jpeg');
  const { altText, dimensions, animatedThumbnail, userTags } = metadata ?? { altText: '' };
  const { width, height } = dimensions ?? { width: 0, height: 0 };
  const isAnimated = () => mimeType() === 'image/gif';
  return {
    __typename: 'ImageAsset',
    type: 'image',
    mimeType,
    source: url,
    thumbnail: thumbnailUrl ?? url,
    image: { altText, width, height, isAnimated, animatedThumbnail, userTags },
  };
}

const presentVideo = ({ url, metadata }: VideoInput) => ({
  __typename: 'VideoAsset',
  type: 'video',
  mimeType: () => mimeTypeOf(url, 'video/mp4'),
  source: url,
  thumbnail: url,
  video: {
    durationMs: 0,
    isTranscodingRequired: false,
    isVideoProcessing: false,
    width: 0,
    height: 0,
    title: metadata?.title,
    thumbnailOffset: metadata?.thumbnailOffset,
  },
});

const presentDocument = ({ url, title, thumbnailUrl }: DocumentInput) => ({
  __typename: 'DocumentAsset',
  type: 'document',
  mimeType: () => mimeTypeOf(url, 'application/pdf'),
  source: url,
  thumbnail: thumbnailUrl,
  document: { numPages: 0, thumbnails: [thumbnailUrl], title },
});

/**
 * The schema's assets for the given assets. An address is read only when the query selects what the address tells. A link
 * is no asset of the schema: the post shows a link attachment.
 */
export const presentAssets = (assets: AssetInput[]) =>
  assets.flatMap(({ image, video, document }) => [
    ...(image ? [presentImage(image)] : []),
    ...(video ? [presentVideo(video)] : []),
    ...(document ? [presentDocument(document)] : []),
  ]);

function attachmentFrom({ link }: AssetInput): LinkAttachmentInput[] {
  if (!link) return [];
  const { thumbnailUrl, ...rest } = link;
  return [{ ...rest, thumbnail: typeof thumbnailUrl === 'string' ? { url: thumbnailUrl } : null }];
}

/** The links of a post, from the link attachment and from the assets. A valid post has at most one link. */
export const linksOf = (assets: AssetInput[], attachment: LinkAttachmentInput | null | undefined) => [
  ...(attachment ? [attachment] : []),
  ...assets.flatMap(attachmentFrom),
];

export function presentLink(link: LinkAttachmentInput | undefined) {
  if (!link) return null;
  const thumbnail = link.thumbnail?.url ?? null;
  return {
    url: link.url,
    text: link.description ?? '',
    title: link.title ?? link.url,
    thumbnail,
    thumbnails: thumbnail === null ? [] : [thumbnail],
  };
}
