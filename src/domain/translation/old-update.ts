import type { Post } from '../../upstream/posts/post.ts';
import { formattedText } from './formatted-text.ts';
import { extraMediaOf, mediaOf, type OldMedia, typeOf } from './old-media.ts';
import { dueWords, secondsOf } from './old-times.ts';

/**
 * Converts a post of the new API to the update object of the old API. Unknown facts are absent, never invented. Programs
 * read `statistics` of a sent update one level down, so it is a map, without any number.
 */

/** The facts of an update that the post does not have. Ids are the ids that the app was told. */
export interface UpdateView {
  profileId: string;
  /** The account of the calling token, with its id at the new API and the id that the app was told. */
  account: { modernId: string; toldId: string };
  /** The time zone of the profile, or `UTC` where the call asks for UTC. */
  zone: string;
  /** Unix milliseconds. */
  now: number;
  /** The ids by which the app knows posts, if they are not the ids of the new API. */
  updateIds?: ReadonlyMap<string, string>;
}

/** The old update object. Ids are strings, times are whole seconds. An undefined property is absent in the answer. */
export interface OldUpdate {
  _id: string;
  created_at: number | undefined;
  day: string | undefined;
  due_at: number | undefined;
  due_time: string | undefined;
  extra_media: Array<{ photo: string }> | undefined;
  id: string;
  media: OldMedia | undefined;
  needs_approval: true | undefined;
  profile_id: string;
  profile_service: string;
  /** The due time once more, for an update with a time of its own. Old programs tell it from the queue by this field. */
  scheduled_at: number | undefined;
  sent_at: number | undefined;
  /** Where the post stands on its network. */
  service_link: string | undefined;
  /** The id of the post on its network. */
  service_update_id: string | undefined;
  shared_now: boolean;
  statistics: Record<string, never> | undefined;
  status: string;
  text: string;
  text_formatted: string;
  type: string;
  updated_at: number | undefined;
  user_id: string | undefined;
  via: string;
}

/**
 * The old word for a status. A post that is being published still counts as in the buffer. A post that waits for
 * approval is a draft with `needs_approval`. A status that the bridge does not know keeps its name.
 */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ['scheduled', 'buffer'],
  ['sending', 'buffer'],
  ['needs_approval', 'draft'],
]);

/** The app was told the id of one account only. It knows no id of other accounts. */
function authorOf({ author }: Post, { account }: UpdateView): string | undefined {
  return author?.id === account.modernId ? account.toldId : undefined;
}

const TWEET = /\/status\/(\d{1,25})(?:[/?#]|$)/;

/** The new API tells only the address. That of a tweet ends with the id; what the address of another network holds may be no id. */
function onNetwork({
  channelService,
  externalLink,
}: Post): Pick<OldUpdate, 'service_link' | 'service_update_id'> {
  const link = externalLink || undefined;
  const id = channelService === 'twitter' ? TWEET.exec(link ?? '')?.[1] : undefined;
  return { service_link: link, service_update_id: id };
}

/** The old update object of a post. */
export function oldUpdate(post: Post, view: UpdateView): OldUpdate {
  const due = secondsOf(post.dueAt);
  const words = due === undefined ? undefined : dueWords(due, view);
  const id = view.updateIds?.get(post.id) ?? post.id;
  return {
    _id: id,
    created_at: secondsOf(post.createdAt),
    day: words?.day,
    due_at: due,
    due_time: words?.due_time,
    extra_media: extraMediaOf(post),
    id,
    media: mediaOf(post),
    needs_approval: post.status === 'needs_approval' ? true : undefined,
    profile_id: view.profileId,
    profile_service: post.channelService,
    scheduled_at: post.isCustomScheduled ? due : undefined,
    sent_at: secondsOf(post.sentAt),
    ...onNetwork(post),
    shared_now: post.sharedNow,
    statistics: post.status === 'sent' ? {} : undefined,
    status: STATUSES.get(post.status) ?? post.status,
    text: post.text,
    text_formatted: formattedText(post.text, post.channelService),
    type: typeOf(post),
    updated_at: secondsOf(post.updatedAt),
    user_id: authorOf(post, view),
    via: post.via,
  };
}
