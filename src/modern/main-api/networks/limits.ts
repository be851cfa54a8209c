/**
 * What the networks take: the length of a text as the real service's help pages tell it, and posts in a day as clients of
 * it saw or wrote down. That the API refuses what is beyond them is inferred.
 */
import type { ChannelRecord, Service } from '../directory.ts';

interface Limits {
  characters: number;
  /** Undefined: as many as one likes. */
  postsPerDay?: number;
}

const limits: Record<Service, Limits> = {
  bluesky: { characters: 300 },
  facebook: { characters: 5000, postsPerDay: 35 },
  googlebusiness: { characters: 1500 },
  instagram: { characters: 2200, postsPerDay: 50 },
  linkedin: { characters: 3000, postsPerDay: 50 },
  mastodon: { characters: 500 },
  pinterest: { characters: 500 },
  startPage: { characters: 5000 },
  threads: { characters: 500, postsPerDay: 100 },
  tiktok: { characters: 2200, postsPerDay: 25 },
  twitter: { characters: 280 },
  youtube: { characters: 5000, postsPerDay: 10 },
};

/** What X takes of those who pay for it. */
const PAID_TWITTER = 25_000;

/** Null where the network has no limit. */
export const postsPerDay = (service: Service): number | null => limits[service].postsPerDay ?? null;

/** How long a text may be; a server on Mastodon has a number of its own. */
export function longestText({ service, metadata }: ChannelRecord): number {
  if (metadata?.__typename === 'MastodonMetadata') return metadata.maxCharacters;
  const subscription = metadata?.__typename === 'TwitterMetadata' ? metadata.subscriptionType : null;
  return subscription === null || subscription === 'none' ? limits[service].characters : PAID_TWITTER;
}

/** Whatever the length of an address is, X counts this many characters for it. */
const SHORTENED = 'x'.repeat(23);

/** In characters as people count them roughly: an emoji of several parts counts each of them. */
export function lengthOn(service: Service, text: string): number {
  const counted = service === 'twitter' ? text.replaceAll(/https?:\/\/\S+/g, SHORTENED) : text;
  return Array.from(counted).length;
}
