/** The inputs of the post mutations as GraphQL passes them. An omitted field is absent; times are ISO 8601 in UTC. */

type Nullable<T> = T | null;

export type ShareMode = 'addToQueue' | 'shareNow' | 'shareNext' | 'customScheduled';
export type SchedulingType = 'automatic' | 'notification';

interface UserTag {
  handle: string;
  x: number;
  y: number;
}

export interface ImageInput {
  url: string;
  thumbnailUrl?: Nullable<string>;
  metadata?: Nullable<{
    altText: string;
    animatedThumbnail?: Nullable<string>;
    userTags?: Nullable<UserTag[]>;
    dimensions?: Nullable<{ width: number; height: number }>;
  }>;
}

export interface VideoInput {
  url: string;
  thumbnailUrl?: Nullable<string>;
  metadata?: Nullable<{ thumbnailOffset?: Nullable<number>; title?: Nullable<string> }>;
}

export interface DocumentInput {
  url: string;
  title: string;
  thumbnailUrl: string;
}

interface LinkInput {
  url: string;
  title?: Nullable<string>;
  description?: Nullable<string>;
  thumbnailUrl?: Nullable<string>;
}

/** An asset with exactly one of the four fields. */
export interface AssetInput {
  image?: Nullable<ImageInput>;
  video?: Nullable<VideoInput>;
  document?: Nullable<DocumentInput>;
  link?: Nullable<LinkInput>;
}

export interface LinkAttachmentInput {
  url: string;
  title?: Nullable<string>;
  description?: Nullable<string>;
  thumbnail?: Nullable<{ url: string }>;
}

export interface ThreadedPostInput {
  text?: Nullable<string>;
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
  title?: Nullable<string>;
  startDate?: Nullable<string>;
  endDate?: Nullable<string>;
  code?: Nullable<string>;
  link?: Nullable<string>;
  terms?: Nullable<string>;
  button?: Nullable<string>;
  isFullDayEvent?: boolean;
}

/** The metadata fields of all services. The schema decides which fields each service has. */
export interface ServiceMetadata {
  type?: Nullable<string>;
  title?: Nullable<string>;
  firstComment?: Nullable<string>;
  annotations?: Nullable<AnnotationInput[]>;
  linkAttachment?: Nullable<LinkAttachmentInput>;
  thread?: Nullable<ThreadedPostInput[]>;
  link?: Nullable<string>;
  url?: Nullable<string>;
  geolocation?: Nullable<{ id?: Nullable<string>; text?: Nullable<string> }>;
  shouldShareToFeed?: boolean;
  stickerFields?: Nullable<Record<string, Nullable<string>>>;
  retweet?: Nullable<{ id: string; comment?: Nullable<string> }>;
  isAiGenerated?: Nullable<boolean>;
  boardServiceId?: Nullable<string>;
  detailsOffer?: Nullable<GoogleDetails>;
  detailsEvent?: Nullable<GoogleDetails>;
  detailsWhatsNew?: Nullable<GoogleDetails>;
  privacy?: Nullable<string>;
  categoryId?: Nullable<string>;
  license?: Nullable<string>;
  notifySubscribers?: Nullable<boolean>;
  embeddable?: Nullable<boolean>;
  madeForKids?: Nullable<boolean>;
  spoilerText?: Nullable<string>;
  topic?: Nullable<string>;
  locationId?: Nullable<string>;
  locationName?: Nullable<string>;
}

export type MetadataInput = Record<string, Nullable<ServiceMetadata>>;

interface PostInputBase {
  text?: Nullable<string>;
  dueAt?: Nullable<string>;
  metadata?: Nullable<MetadataInput>;
  tagIds?: Nullable<string[]>;
  ideaId?: Nullable<string>;
  source?: Nullable<string>;
  aiAssisted?: Nullable<boolean>;
  saveToDraft?: Nullable<boolean>;
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
  schedulingType?: Nullable<SchedulingType>;
  mode?: Nullable<ShareMode>;
  assets?: Nullable<AssetInput[]>;
  approvalChange?: Nullable<'request' | 'revert'>;
}
