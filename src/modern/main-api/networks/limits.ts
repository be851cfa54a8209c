/**
 * The limits of the networks. The lengths of texts come from the help pages of the real service. The posts per day are
 * numbers that clients of the real service saw or wrote down. The refusal of posts beyond the limits is inferred.
 */
import type { ChannelRecord, Service } from '../directory.ts';

interface Limits {
  characters: number;
  /** Undefined: no limit. */
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

/** The longest text on X for an account with a paid subscription. */
const PAID_TWITTER = 25_000;

/** The number of posts that a network takes per day; null for a network without a limit. */
export const postsPerDay = (service: Service): number | null => limits[service].postsPerDay ?? null;

/** The longest text that the channel takes. Each Mastodon server sets a separate limit. */
export function longestText({ service, metadata }: ChannelRecord): number {
  if (metadata?.__typename === 'MastodonMetadata') return metadata.maxCharacters;
  const subscription = metadata?.__typename === 'TwitterMetadata' ? metadata.subscriptionType : null;
  return subscription === null || subscription === 'none' ? limits[service].characters : PAID_TWITTER;
}

/** X counts 23 characters for an address of any length. */
const SHORTENED = 'x'.repeat(23);

/** The length of a text in code points, roughly as people count: an emoji of several parts counts each part. */
export function lengthOn(service: Service, text: string): number {
  const counted = service === 'twitter' ? text.replaceAll(/https?:\/\/\S+/g, SHORTENED) : text;
  return Array.from(counted).length;
}
