import { FIELD_CODES, FieldRefused } from './call-fields.ts';
import { mediaInput, withoutAbsent } from './media-input.ts';
import type { NewUpdate, UpdateContent } from './new-update.ts';

/**
 * Converts an update of the old API to the input of `createPost` of the new API. Some services need fields there that the
 * old API never asked for.
 */

/** The channel of a post. Its service decides the form of the post. */
export interface PostChannel {
  id: string;
  service: string;
}

type Metadata = Record<string, Record<string, unknown>>;

/** An input of `createPost` or `editPost`. `leftOut` says in words what the service could not take. */
export interface PostInput {
  input: Record<string, unknown>;
  leftOut: string[];
}

const keyOf = (service: string) => (service === 'googlebusiness' ? 'google' : service);

/** The fields that the new API requires of every post of a service. */
const DEFAULTS: Record<string, Record<string, unknown>> = {
  facebook: { type: 'post' },
  instagram: { type: 'post', shouldShareToFeed: true },
  google: { type: 'whats_new' },
};

function refused(field: string, message: string): FieldRefused {
  return new FieldRefused(field, FIELD_CODES.notSaved, message);
}

/** The new API refuses a pin without a board. The old API had boards as subprofiles. */
function boardOf({ subprofileIds, isDraft }: NewUpdate): Record<string, unknown> {
  const [board, another] = subprofileIds;
  if (another !== undefined)
    throw refused(
      'subprofile_ids',
      'The parameter subprofile_ids can name one board of a Pinterest profile only.',
    );
  if (board !== undefined) return { boardServiceId: board };
  if (isDraft) return {};
  throw new FieldRefused(
    'subprofile_ids',
    FIELD_CODES.missing,
    'The parameter subprofile_ids is missing: a post for Pinterest needs a board.',
  );
}

function retweetOf({ retweet }: NewUpdate, service: string): Record<string, unknown> {
  return retweet && service === 'twitter' ? { retweet: withoutAbsent({ ...retweet }) } : {};
}

/** By its documentation the old API ignored the retweet at the other profiles of a call. */
function lostRetweet({ retweet }: NewUpdate, service: string): string[] {
  return retweet && service !== 'twitter' ? ['retweet, which is for Twitter profiles alone'] : [];
}

/** The fields that only one service has. @throws {FieldRefused} */
function ownFieldsOf(update: NewUpdate, service: string): Record<string, unknown> {
  if (service === 'youtube' && !update.isDraft)
    throw refused(
      'profile_ids',
      'A YouTube profile cannot be posted to from here: a video needs a title and a category, which the old API has no parameters for. It can be saved as a draft (is_draft), to be finished by a person.',
    );
  return { ...retweetOf(update, service), ...(service === 'pinterest' ? boardOf(update) : {}) };
}

/** The fields of a service in an input, with those that the new API requires; undefined where there are none. */
export function serviceMetadata(service: string, fields: Record<string, unknown>): Metadata | undefined {
  const key = keyOf(service);
  const own = { ...DEFAULTS[key], ...fields };
  return Object.keys(own).length === 0 ? undefined : { [key]: own };
}

/** The fields of an input that say when the post is published. */
export function timingFields({ timing }: UpdateContent): Record<string, unknown> {
  if (timing?.mode !== 'customScheduled') return withoutAbsent({ mode: timing?.mode });
  return { mode: timing.mode, dueAt: new Date(timing.dueAt).toISOString() };
}

/**
 * The input of `createPost` for one channel.
 * @throws {FieldRefused} the service cannot take the update
 */
export function createInput(update: NewUpdate, channel: PostChannel): PostInput {
  const { service, id: channelId } = channel;
  const { assets, linkFields, leftOut: lost } = mediaInput(update, service);
  const leftOut = [...lost, ...lostRetweet(update, service)];
  const metadata = serviceMetadata(service, { ...ownFieldsOf(update, service), ...linkFields });
  const { text, isDraft } = update;
  const own = { channelId, schedulingType: 'automatic', mode: 'addToQueue', text };
  const fields = withoutAbsent({ assets, metadata });
  const draft = isDraft ? { saveToDraft: true } : {};
  return { input: { ...own, ...timingFields(update), ...fields, ...draft }, leftOut };
}
