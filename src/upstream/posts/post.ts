import { z } from 'zod';

/** A post of the new API, with the fields for an old update object. */

const postLink = z.object({
  url: z.string(),
  title: z.string().nullish(),
  text: z.string().nullish(),
  thumbnail: z.string().nullish(),
});

export const asset = z.object({ type: z.string(), source: z.string(), thumbnail: z.string().nullish() });

/** What only the service of the post has; a service without such a field does not tell it. */
export const postMetadata = z.object({
  linkAttachment: postLink.nullish(),
  /** The title and the link of a pin. */
  title: z.string().nullish(),
  url: z.string().nullish(),
  /** Where the button of a Google post leads. */
  details: z.object({ link: z.string().nullish() }).nullish(),
});

export const post = z.object({
  id: z.string().min(1),
  status: z.string(),
  via: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  dueAt: z.string().nullish(),
  sentAt: z.string().nullish(),
  text: z.string(),
  /** Where a sent post stands on its network. Absent in a post that an earlier version of the bridge kept. */
  externalLink: z.string().nullish(),
  channelId: z.string(),
  channelService: z.string(),
  sharedNow: z.boolean(),
  /** Whether a person or a program chose the time. Absent in a post that an earlier version of the bridge kept. */
  isCustomScheduled: z.boolean().optional(),
  author: z.object({ id: z.string() }).nullish(),
  assets: z.array(asset),
  metadata: postMetadata.nullish(),
});

export type Post = z.infer<typeof post>;
export type Asset = z.infer<typeof asset>;

/** The services whose posts may show a linked page. */
const WITH_LINK = ['Facebook', 'LinkedIn', 'Threads', 'Bluesky'];

const LINK = WITH_LINK.map(
  (service) => `... on ${service}PostMetadata { linkAttachment { url title text thumbnail } }`,
).join(' ');

const PIN = '... on PinterestPostMetadata { title url }';

const BUTTON = ['WhatsNew', 'Offer', 'Event']
  .map((kind) => `... on GoogleBusiness${kind}MetaData { link }`)
  .join(' ');

const GOOGLE = `... on GoogleBusinessPostMetadata { details { ${BUTTON} } }`;

/** The fields that every request for a post asks for. */
export const POST_FIELDS = `id status via createdAt updatedAt dueAt sentAt text externalLink channelId channelService sharedNow isCustomScheduled author { id } assets { type source thumbnail } metadata { ${LINK} ${PIN} ${GOOGLE} }`;
