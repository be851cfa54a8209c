/**
 * The services of the new API under the names of the old one, and what their networks take. A newer service that the old
 * API never had goes by its own name.
 */

interface Service {
  /** As the old API wrote it for people. */
  name: string;
  /** The kinds of its channels; the old API called them the same. */
  types: readonly string[];
  /** Characters of one post. */
  characterLimit: number;
}

const SERVICES: Readonly<Record<string, Service>> = {
  twitter: { name: 'Twitter', types: ['profile'], characterLimit: 280 },
  facebook: { name: 'Facebook', types: ['page', 'group'], characterLimit: 5000 },
  linkedin: { name: 'LinkedIn', types: ['profile', 'page'], characterLimit: 3000 },
  instagram: { name: 'Instagram', types: ['business', 'profile'], characterLimit: 2200 },
  pinterest: { name: 'Pinterest', types: ['profile', 'business'], characterLimit: 500 },
  googlebusiness: { name: 'Google Business', types: ['business'], characterLimit: 1500 },
  tiktok: { name: 'TikTok', types: ['account', 'business'], characterLimit: 2200 },
  mastodon: { name: 'Mastodon', types: ['account', 'profile'], characterLimit: 500 },
  youtube: { name: 'YouTube', types: ['channel'], characterLimit: 5000 },
  threads: { name: 'Threads', types: ['profile'], characterLimit: 500 },
  bluesky: { name: 'Bluesky', types: ['profile'], characterLimit: 300 },
  startPage: { name: 'Start Page', types: ['page'], characterLimit: 5000 },
};

/** The old name of a service for people; undefined for one that is newer than this table. */
export function serviceName(service: string): string | undefined {
  return Object.hasOwn(SERVICES, service) ? SERVICES[service]?.name : undefined;
}

/** The files that every network takes as a picture. */
const PICTURE_FILETYPES = ['jpg', 'jpeg', 'png', 'gif'];

function typesOf({ name, types, characterLimit }: Service) {
  const kind = {
    name,
    character_limit: characterLimit,
    icons: {},
    supported_interactions: [],
  };
  return Object.fromEntries(types.map((type) => [type, kind]));
}

/**
 * The answer of `info/configuration`. What the new API does not tell is absent: how many posts a queue holds depends on the
 * plan, and sizes of pictures on the network. Nobody hosts the icons of the old service any more, and interactions are not
 * counted.
 */
export function oldConfiguration() {
  const services = Object.entries(SERVICES).map(([id, service]) => [
    id,
    { types: typesOf(service), urls: {} },
  ]);
  return {
    services: Object.fromEntries(services) as Record<string, { types: object; urls: object }>,
    media: { picture_filetypes: PICTURE_FILETYPES },
  };
}
