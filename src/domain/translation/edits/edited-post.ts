import type { PostToEdit, WholeAsset } from '../../../upstream/posts/post-to-edit.ts';
import type { SentAsset } from '../media-input.ts';

/** A post of the new API in the form in which an edit can send it again: what an edit replaces, it replaces whole. */

/** A post that is edited, as the new API has it. */
export interface EditedPost {
  service: string;
  text: string;
  /** Whether it waits for a time that somebody chose, outside of the queue. */
  hasOwnTime: boolean;
  /** Its kind where the service has kinds (`post`, `reel`, `story`, `offer`); undefined where it is not known. */
  type: string | undefined;
  /** The linked page that it shows, as an input names it. */
  link: Record<string, unknown> | undefined;
  /** Its pictures, videos and documents, in their order. */
  assets: readonly WholeAsset[];
  /** The other fields of its service, as an input names them. */
  kept: Record<string, unknown>;
  /** The parts of a thread, the post itself first; empty for any other post. */
  thread: ReadonlyArray<{ text: string; assets: readonly WholeAsset[] }>;
  /** Where the mentions in its text begin and end. */
  mentions: ReadonlyArray<readonly [start: number, end: number]>;
}

const isSaid = (value: unknown) => value !== undefined && value !== null && value !== '';

const said = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => isSaid(value)));

type Metadata = NonNullable<PostToEdit['metadata']>;

function linkOf({ linkAttachment }: Metadata): EditedPost['link'] {
  // An input without an address is refused, and with it an edit that only changes the text.
  if (!linkAttachment?.url) return undefined;
  const { url, title, text, thumbnail } = linkAttachment;
  return said({ url, title, description: text, thumbnail: thumbnail ? { url: thumbnail } : undefined });
}

/** Kinds that an input can name. The new API tells the others of Threads by itself. */
const KEPT_KINDS: Record<string, readonly string[]> = {
  facebook: ['post', 'reel', 'story'],
  threads: ['ghost_post'],
};

function keptOf({ channelService }: PostToEdit, metadata: Metadata): Record<string, unknown> {
  const { type, title, url, firstComment, topic, locationId, locationName, spoilerText, ...more } = metadata;
  return said({
    type: KEPT_KINDS[channelService]?.includes(type ?? '') === true ? type : undefined,
    title,
    url,
    firstComment,
    topic,
    locationId,
    locationName,
    spoilerText,
    isAiGenerated: more.isAiGenerated === true ? true : undefined,
    retweet: more.retweet ? { id: more.retweet.id } : undefined,
  });
}

/** What an input can name. The new API finds hashtags and addresses in a text by itself. */
const MENTIONS: readonly string[] = ['mention', 'annotation'];

function mentionsOf({ annotations }: Metadata): EditedPost['mentions'] {
  const own = (annotations ?? []).filter(({ type }) => MENTIONS.includes(type));
  return own.map(({ indices: [start = 0, end = start] }) => [start, end]);
}

/** A post with what an edit has to send again. */
export function editedPostOf(post: PostToEdit): EditedPost {
  const metadata = post.metadata ?? {};
  return {
    service: post.channelService,
    text: post.text,
    hasOwnTime: post.status === 'scheduled' && post.isCustomScheduled === true,
    type: metadata.type ?? undefined,
    link: linkOf(metadata),
    assets: post.assets,
    kept: keptOf(post, metadata),
    thread: metadata.thread ?? [],
    mentions: mentionsOf(metadata),
  };
}

/** The alternative text of a picture, the people in it and the moving thumbnail of a GIF; undefined where it has none of them. */
export function wordsOfPicture({ image }: WholeAsset): Record<string, unknown> | undefined {
  const { altText, animatedThumbnail, userTags } = image ?? {};
  const words = said({ altText, animatedThumbnail, userTags: userTags?.length ? userTags : undefined });
  return Object.keys(words).length > 0 ? { altText: '', ...words } : undefined;
}

function pictureInput(asset: WholeAsset): SentAsset {
  const { source: url, thumbnail } = asset;
  const small = thumbnail && thumbnail !== url ? { thumbnailUrl: thumbnail } : {};
  const metadata = wordsOfPicture(asset);
  return { image: { url, ...small, ...(metadata && { metadata }) } };
}

function videoInput({ source: url, video }: WholeAsset): SentAsset {
  const metadata = said({ title: video?.title, thumbnailOffset: video?.thumbnailOffset });
  return { video: { url, ...(Object.keys(metadata).length > 0 && { metadata }) } };
}

/** What a post has, as an input names it. Empty for a kind that an input cannot name. */
export function inputOfAsset(asset: WholeAsset): SentAsset[] {
  const { type, source, thumbnail, document } = asset;
  switch (type) {
    case 'image':
      return [pictureInput(asset)];
    case 'video':
      return [videoInput(asset)];
    case 'document':
      return [{ document: { url: source, title: document?.title ?? '', thumbnailUrl: thumbnail ?? source } }];
    default:
      return [];
  }
}
