import type { Asset, Post } from '../../upstream/posts/post.ts';
import { holdsAddress } from './formatted-text.ts';

/** The media of a post in the form of the old API. */

/** The names that the old API documented for `media`. */
export interface OldMedia {
  link?: string;
  title?: string;
  description?: string;
  picture?: string;
  thumbnail?: string;
}

type OldType = 'text' | 'link' | 'picture' | 'video';

/** Drops fields that are unknown or empty. */
function known<T extends Record<string, string | null | undefined>>(
  fields: T,
): Partial<Record<keyof T, string>> {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return Object.fromEntries(entries) as Partial<Record<keyof T, string>>;
}

/** The link and the title of a pin, or the link of a Google post. Such a post shows its picture beside them. */
function ownLink({ metadata }: Post): OldMedia {
  const { url, title, details } = metadata ?? {};
  return known({ link: url ?? details?.link, title });
}

function linkMedia(post: Post): OldMedia | undefined {
  const link = post.metadata?.linkAttachment;
  if (!link) {
    const own = ownLink(post);
    return Object.keys(own).length > 0 ? own : undefined;
  }
  const { url, title, text, thumbnail } = link;
  return known({ link: url, title, description: text, thumbnail });
}

const pictureMedia = ({ source, thumbnail }: Asset): OldMedia => known({ picture: source, thumbnail });

/** The old API has no name for the address of a video or a document. */
const otherMedia = ({ thumbnail }: Asset): OldMedia => known({ thumbnail });

/**
 * The first picture, or the first video or document, with the link that the post has beside it; else the linked page.
 * Undefined for a post of text alone.
 */
export function mediaOf(post: Post): OldMedia | undefined {
  const [first] = post.assets;
  if (!first) return linkMedia(post);
  return { ...ownLink(post), ...(first.type === 'image' ? pictureMedia(first) : otherMedia(first)) };
}

/** The pictures behind what `mediaOf` tells, which may be a video; undefined where there are none. */
export function extraMediaOf({ assets: [, ...rest] }: Post): Array<{ photo: string }> | undefined {
  const pictures = rest.filter(({ type }) => type === 'image').map(({ source }) => ({ photo: source }));
  return pictures.length > 0 ? pictures : undefined;
}

/** In the recorded answers a text without media is a link too where it has an address. */
function hasLink(post: Post): boolean {
  if (post.metadata?.linkAttachment || ownLink(post).link !== undefined) return true;
  return post.assets.length === 0 && holdsAddress(post.text);
}

/** The kind of an update. The old API had no word for a document. */
export function typeOf(post: Post): OldType {
  const types = post.assets.map(({ type }) => type);
  if (types.includes('video')) return 'video';
  if (types.includes('image')) return 'picture';
  return hasLink(post) ? 'link' : 'text';
}
