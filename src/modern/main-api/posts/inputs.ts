/** The inputs of the post mutations as GraphQL passes them. An omitted field is absent; times are ISO 8601 in UTC. */

type Maybe<T> = T | null;

export type ShareMode = 'addToQueue' | 'shareNow' | 'shareNext' | 'customScheduled';
export type SchedulingType = 'automatic' | 'notification';

interface UserTag {
  handle: string;
  x: number;
  y: number;
}

export interface ImageInput {
  url: string;
  thumbnailUrl?: Maybe<string>;
  metadata?: Maybe<{
    altText: string;
    animatedThumbnail?: Maybe<string>;
    userTags?: Maybe<UserTag[]>;
    dimensions?: Maybe<{ width: number; height: number }>;
  }>;
}

export interface VideoInput {
  url: string;
  thumbnailUrl?: Maybe<string>;
  metadata?: Maybe<{ thumbnailOffset?: Maybe<number>; title?: Maybe<string> }>;
}

export interface DocumentInput {
  url: string;
  title: string;
  thumbnailUrl: string;
}

interface LinkInput {
  url: string;
  title?: Maybe<string>;
  description?: Maybe<string>;
  thumbnailUrl?: Maybe<string>;
}

/** An asset with exactly one of the four fields. */
export interface AssetInput {
  image?: Maybe<ImageInput>;
  video?: Maybe<VideoInput>;
  document?: Maybe<DocumentInput>;
  link?: Maybe<LinkInput>;
}

export interface LinkAttachmentInput {
  url: string;
  title?: Maybe<string>;
  description?: Maybe<string>;
  thumbnail?: Maybe<{ url: string }>;
}

export interface ThreadedPostInput {
  text?: Maybe<string>;
  assets: AssetInput[];
}

interface FacebookAnnotation {
  content: string;
  indices: number[];
  text: string;
  url: string;
}

interface LinkedInAnnotation {
  entity: string;
  link: string;
  localizedName: string;
  start: number;
  length: number;
}

export type AnnotationInput = FacebookAnnotation | LinkedInAnnotation;

export interface GoogleDetails {
  title?: Maybe<string>;
  startDate?: Maybe<string>;
  endDate?: Maybe<string>;
  code?: Maybe<string>;
  link?: Maybe<string>;
  terms?: Maybe<string>;
  button?: Maybe<string>;
  isFullDayEvent?: boolean;
}

/** The metadata fields of all services. The schema decides which fields each service has. */
export interface ServiceMetadata {
  type?: Maybe<string>;
  title?: Maybe<string>;
  firstComment?: Maybe<string>;
  annotations?: Maybe<AnnotationInput[]>;
  linkAttachment?: Maybe<LinkAttachmentInput>;
  thread?: Maybe<ThreadedPostInput[]>;
  link?: Maybe<string>;
  url?: Maybe<string>;
  geolocation?: Maybe<{ id?: Maybe<string>; text?: Maybe<string> }>;
  shouldShareToFeed?: boolean;
  stickerFields?: Maybe<Record<string, Maybe<string>>>;
  retweet?: Maybe<{ id: string; comment?: Maybe<string> }>;
  isAiGenerated?: Maybe<boolean>;
  boardServiceId?: Maybe<string>;
  detailsOffer?: Maybe<GoogleDetails>;
  detailsEvent?: Maybe<GoogleDetails>;
  detailsWhatsNew?: Maybe<GoogleDetails>;
  privacy?: Maybe<string>;
  categoryId?: Maybe<string>;
  license?: Maybe<string>;
  notifySubscribers?: Maybe<boolean>;
  embeddable?: Maybe<boolean>;
  madeForKids?: Maybe<boolean>;
  spoilerText?: Maybe<string>;
  topic?: Maybe<string>;
  locationId?: Maybe<string>;
  locationName?: Maybe<string>;
}

export type MetadataInput = Record<string, Maybe<ServiceMetadata>>;

interface PostInputBase {
  text?: Maybe<string>;
  dueAt?: Maybe<string>;
  metadata?: Maybe<MetadataInput>;
  tagIds?: Maybe<string[]>;
  ideaId?: Maybe<string>;
  source?: Maybe<string>;
  aiAssisted?: Maybe<boolean>;
  saveToDraft?: Maybe<boolean>;
}

export interface CreatePostInput extends PostInputBase {
  channelId: string;
  schedulingType: SchedulingType;
  mode: ShareMode;
  assets: AssetInput[];
  needsApproval: boolean;
}

export interface EditPostInput extends PostInputBase {
  id: string;
  schedulingType?: Maybe<SchedulingType>;
  mode?: Maybe<ShareMode>;
  assets?: Maybe<AssetInput[]>;
  approvalChange?: Maybe<'request' | 'revert'>;
}
