import { LONGEST_TEXT } from '../operations/content-size.ts';
import type { ChannelRecord, Service } from '../directory.ts';
import { lengthOn, longestText } from '../networks/limits.ts';
import type { PostContent } from './data.ts';
import type { AssetInput, MetadataInput, ServiceMetadata } from './inputs.ts';
import { linksOf } from './present/present-assets.ts';
import { googleDetailsOf } from './present/present-google.ts';

interface PostRequest {
  assets: AssetInput[];
  metadata: ServiceMetadata;
  channel: ChannelRecord;
}

type NetworkRequirement = readonly [isMet: (asked: PostRequest) => boolean, message: string];

const isFilled = (text: string | null | undefined) => typeof text === 'string' && text.trim() !== '';
const hasImage = ({ assets }: PostRequest) => assets.some(({ image }) => image);
const hasVideo = ({ assets }: PostRequest) => assets.some(({ video }) => video);
const hasType = ({ metadata }: PostRequest) => ['post', 'story', 'reel'].includes(metadata.type ?? '');

function boardIsKnown({ metadata, channel }: PostRequest): boolean {
  if (channel.metadata?.__typename !== 'PinterestMetadata') return true;
  return channel.metadata.boards.some(({ serviceId }) => serviceId === metadata.boardServiceId);
}

/**
 * Whether an offer or event has a title, a start and an end that is not before the start. The output has no null for
 * the three fields.
 */
function detailsAreWhole({ metadata }: PostRequest): boolean {
  if (metadata.type !== 'offer' && metadata.type !== 'event') return true;
  const { title, startDate, endDate } = googleDetailsOf(metadata) ?? {};
  return (
    isFilled(title) && typeof startDate === 'string' && typeof endDate === 'string' && startDate <= endDate
  );
}

/** The minimum that each service needs [recorded], besides some content. */
const needs: Partial<Record<Service, NetworkRequirement[]>> = {
  instagram: [
    [(asked) => hasImage(asked) || hasVideo(asked), 'Instagram posts require at least one image or video.'],
    [hasType, 'Instagram posts require a type (post, story, or reel).'],
  ],
  facebook: [[hasType, 'Facebook posts require a type (post, story, or reel).']],
  tiktok: [
    [(asked) => hasImage(asked) || hasVideo(asked), 'TikTok posts require at least one image or video.'],
  ],
  pinterest: [
    [hasImage, 'Pinterest posts require an image.'],
    [({ metadata }) => isFilled(metadata.boardServiceId), 'Pinterest posts require a board.'],
    [boardIsKnown, 'The Pinterest board must be one of the channel.'],
  ],
  youtube: [
    [hasVideo, 'YouTube posts require a video.'],
    [({ metadata }) => isFilled(metadata.title), 'YouTube posts require a title.'],
    [({ metadata }) => isFilled(metadata.categoryId), 'YouTube posts require a category.'],
  ],
  googlebusiness: [
    [
      ({ metadata }) => isFilled(metadata.type),
      'Google Business posts require a type (whats_new, event, or offer).',
    ],
    [
      detailsAreWhole,
      'Google Business offers and events require a title, a start and an end that is not before it.',
    ],
  ],
};

const linkTakers = new Set<Service>(['facebook', 'linkedin', 'threads', 'bluesky']);

export const takesLinks = (service: Service) => linkTakers.has(service);

/**
 * Checks the text and each part of a thread separately against the limit of the network. Skips a text longer than
 * LONGEST_TEXT, because rules.ts already reports that text.
 */
function lengthProblems({ text, metadata }: PostContent, channel: ChannelRecord): string[] {
  const parts = [text, ...(metadata?.thread ?? []).map((part) => part.text ?? '')];
  const limit = longestText(channel);
  const isTooLong = (part: string) => part.length <= LONGEST_TEXT && lengthOn(channel.service, part) > limit;
  return parts.some(isTooLong) ? [`Text on ${channel.service} has at most ${limit} characters.`] : [];
}

/** The problems of the content on this service: missing parts and texts that are too long. */
export function serviceProblems(content: PostContent, channel: ChannelRecord): string[] {
  const { text, assets } = content;
  const metadata = content.metadata ?? {};
  const isEmpty =
    text.trim() === '' &&
    assets.length === 0 &&
    linksOf(assets, metadata.linkAttachment).length === 0 &&
    !metadata.retweet;
  const missing = (needs[channel.service] ?? []).filter(([isMet]) => !isMet({ assets, metadata, channel }));
  return [
    ...(isEmpty ? ['Text or an asset is required.'] : []),
    ...missing.map(([, message]) => message),
    ...lengthProblems(content, channel),
  ];
}

/** The key of a service in PostInputMetaData; startPage has no entry there. */
const keyOf = (service: Service) => (service === 'googlebusiness' ? 'google' : service);

/** The metadata entry of the service, and the keys of given entries that belong to other services. */
export function metadataFor(service: Service, input: MetadataInput | null | undefined) {
  const entries = Object.entries(input ?? {}).filter(([, value]) => value !== null && value !== undefined);
  const own = entries.find(([key]) => key === keyOf(service))?.[1] ?? null;
  const foreign = entries.map(([key]) => key).filter((key) => key !== keyOf(service));
  return { own, foreign };
}
