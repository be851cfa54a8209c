import type { ChannelRecord, Service } from '../../directory.ts';
import type { PostContent } from '../data.ts';
import { indicesOf } from '../annotations.ts';
import type { AnnotationInput, ServiceMetadata, ThreadedPostInput } from '../inputs.ts';
import { presentGoogleDetails } from './present-google.ts';
import { linksOf, presentAssets, presentLink } from './present-assets.ts';
import { youtubeCategory } from '../youtube-categories.ts';

/** The inputs for a service's metadata in the output. */
interface MetadataSource {
  metadata: ServiceMetadata;
  content: PostContent;
  channel: ChannelRecord;
}

const linkOf = ({ metadata, content }: MetadataSource) =>
  presentLink(linksOf(content.assets, metadata.linkAttachment).at(0));

const threadedPost = ({ text, assets }: ThreadedPostInput) => ({
  text: text ?? '',
  assets: () => presentAssets(assets),
});

function threadOf({ metadata }: MetadataSource) {
  const thread = (metadata.thread ?? []).map(threadedPost);
  return { thread, threadCount: thread.length };
}

const annotation = (given: AnnotationInput) =>
  'entity' in given
    ? {
        type: 'mention',
        indices: indicesOf(given),
        content: given.entity,
        text: given.localizedName,
        url: given.link,
      }
    : { type: 'mention', ...given };

function boardOf({ metadata, channel }: MetadataSource) {
  if (channel.metadata?.__typename !== 'PinterestMetadata') return null;
  return channel.metadata.boards.find(({ serviceId }) => serviceId === metadata.boardServiceId) ?? null;
}

const withLink = (given: MetadataSource) => ({ linkAttachment: linkOf(given) });
const aiMark = ({ metadata }: MetadataSource) => ({ isAiGenerated: metadata.isAiGenerated ?? false });

const presenters: Record<Service, ((given: MetadataSource) => object) | null> = {
  instagram: (given) => ({
    __typename: 'InstagramPostMetadata',
    shouldShareToFeed: given.metadata.shouldShareToFeed ?? true,
    ...aiMark(given),
  }),
  facebook: (given) => ({ __typename: 'FacebookPostMetadata', title: null, ...withLink(given) }),
  linkedin: (given) => ({ __typename: 'LinkedInPostMetadata', ...withLink(given) }),
  twitter: (given) => ({
    __typename: 'TwitterPostMetadata',
    retweet: null,
    ...threadOf(given),
    ...aiMark(given),
  }),
  pinterest: (given) => ({ __typename: 'PinterestPostMetadata', board: boardOf(given) }),
  googlebusiness: ({ metadata }) => ({
    __typename: 'GoogleBusinessPostMetadata',
    details: presentGoogleDetails(metadata),
  }),
  youtube: (given) => ({
    __typename: 'YoutubePostMetadata',
    category: youtubeCategory(given.metadata.categoryId),
    notifySubscribers: given.metadata.notifySubscribers ?? true,
    embeddable: given.metadata.embeddable ?? true,
    madeForKids: given.metadata.madeForKids ?? false,
    ...aiMark(given),
  }),
  mastodon: (given) => ({ __typename: 'MastodonPostMetadata', ...threadOf(given) }),
  tiktok: (given) => ({ __typename: 'TiktokPostMetadata', ...aiMark(given) }),
  threads: (given) => ({ __typename: 'ThreadsPostMetadata', ...threadOf(given), ...withLink(given) }),
  bluesky: (given) => ({ __typename: 'BlueskyPostMetadata', ...threadOf(given), ...withLink(given) }),
  startPage: null,
};

function typeOf(metadata: ServiceMetadata, service: Service): string {
  if (typeof metadata.type === 'string') return metadata.type;
  if (service === 'googlebusiness') return 'whats_new';
  return metadata.thread?.length ? 'thread' : 'post';
}

/** The member of the union PostMetadata for the channel's service. Null for a service without metadata. */
export function presentMetadata(content: PostContent, channel: ChannelRecord): object | null {
  const metadata = content.metadata ?? {};
  const own = presenters[channel.service]?.({ metadata, content, channel });
  const type = typeOf(metadata, channel.service);
  return own
    ? { ...metadata, type, annotations: () => (metadata.annotations ?? []).map(annotation), ...own }
    : null;
}
