import { randomBytes } from 'node:crypto';
import type { OldRecord } from './settings.ts';

/** A post of the old API as its lists show it. */
interface OldPost extends OldRecord {
  profile_id: string;
  status: 'buffer' | 'sent';
  text: string;
}

const HOUR = 3600;

/** The newest posts of all accounts. The oldest go first, for whoever tries the demo may write as long as it runs. */
const KEPT = 1000;

/** The posts that programs write to the old API. They last as long as the process. */
export interface OldQueue {
  /** Adds one post for each profile; all of them in order. */
  add(userId: string, text: string, profiles: readonly OldRecord[]): OldPost[];
  /** The posts of a profile in a list, in their order. */
  list(profileId: string, status: OldPost['status']): OldPost[];
  /** A post of one of these profiles. */
  find(id: string, profiles: readonly OldRecord[]): OldPost | undefined;
  remove(post: OldPost): void;
}

/** An empty queue. A post is due an hour after the one before it. */
export function createQueue(): OldQueue {
  let posts: OldPost[] = [];
  const list: OldQueue['list'] = (profileId, status) =>
    posts.filter((post) => post.profile_id === profileId && post.status === status);

  function newPost(userId: string, text: string, { id: profileId, service }: OldRecord): OldPost {
    const id = randomBytes(12).toString('hex');
    const now = Math.floor(Date.now() / 1000);
    const place = list(profileId, 'buffer').length + 1;
    return {
      id,
      _id: id,
      created_at: now,
      due_at: now + place * HOUR,
      profile_id: profileId,
      profile_service: service,
      status: 'buffer',
      text,
      text_formatted: text,
      user_id: userId,
      via: 'api',
    };
  }

  return {
    add(userId, text, profiles) {
      const added = profiles.map((profile) => newPost(userId, text, profile));
      posts = [...posts, ...added].slice(-KEPT);
      return added;
    },
    list,
    find: (id, profiles) =>
      posts.find((post) => post.id === id && profiles.some((profile) => profile.id === post.profile_id)),
    remove(post) {
      posts = posts.filter((other) => other !== post);
    },
  };
}
