/**
 * The services of the new API with their names in the old API, and the limits of their networks. A service that the old
 * API never had keeps its own name.
 */

interface Service {
  /** The name that the old API showed to people. */
  name: string;
  /** The kinds of channels of the service, with the same names in both APIs. */
  types: readonly string[];
  /** The most characters of one post. */
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

/** The name of a service that the old API showed to people; undefined for a service that is newer than this table. */
export function serviceName(service: string): string | undefined {
  return Object.hasOwn(SERVICES, service) ? SERVICES[service]?.name : undefined;
}

/** The picture files that every network takes. */
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
 * The answer of `info/configuration`. Facts that the new API does not tell are absent: the length of a queue depends on
 * the plan, and picture sizes depend on the network. The icons of the old API are no longer hosted, and
 * interactions are not counted.
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
