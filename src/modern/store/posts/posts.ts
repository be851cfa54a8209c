import type { PostsData, QueuedPost } from '../../main-api/posts/data.ts';
import type { Database } from '../database.ts';
import { createPostCount, createPostList } from './post-list.ts';
import { POST_COLUMNS, type PostRow, toPost, toPostRow } from './post-rows.ts';
import { createPostTags } from './post-tags.ts';

/** SQLite has no booleans in JSON: true reads as 1. */
const PUBLISH_DUE = `
  update posts set
    status = iif(is_disconnected, 'error', 'sent'),
    sent_at = iif(is_disconnected, null, due_at),
    error_message = iif(is_disconnected, 'The channel is disconnected. Connect it again and schedule the post anew.', null),
    updated_at = max(updated_at, due_at)
  from (
    select id as channel, document ->> 'isDisconnected' as is_disconnected
    from channels where not document ->> 'isQueuePaused' and not document ->> 'isLocked'
  )
  where channel = channel_id and status = 'scheduled' and due_at <= ?`;

const INSERT = `
  insert into posts (id, organization_id, channel_id, status, share_mode, created_at, updated_at, due_at, sent_at,
    error_message, document)
  values (@id, @organizationId, @channelId, @status, @shareMode, @createdAt, @updatedAt, @dueAt, @sentAt,
    @errorMessage, @document)`;

const CHANGE = `
  update posts set status = @status, share_mode = @shareMode, updated_at = @updatedAt, due_at = @dueAt,
    sent_at = @sentAt, error_message = @errorMessage, document = @document
  where id = @id and status not in ('sending', 'sent')`;

const COUNT_ON = `
  select
    (select count(*) from posts where channel_id = :channelId and status = 'sent'
      and sent_at between :start and :end and id <> :except) as sent,
    (select count(*) from posts where channel_id = :channelId and status = 'scheduled'
      and due_at between :start and :end and id <> :except) as scheduled`;

/** Posts for the main API. */
export function createPosts(db: Database): PostsData {
  const publishDue = db.prepare(PUBLISH_DUE);
  const byId = db.prepare<[string], PostRow>(`select ${POST_COLUMNS} from posts where id = ?`);
  const insert = db.prepare(INSERT);
  const change = db.prepare(CHANGE);
  const move = db.prepare('update posts set due_at = ?, updated_at = ? where id = ?');
  const remove = db.prepare('delete from posts where id = ?');
  const queueOf = db.prepare<[string], QueuedPost>(
    `select id, due_at as dueAt, share_mode as shareMode from posts
     where channel_id = ? and status = 'scheduled' order by due_at, id`,
  );
  const countScheduled = db.prepare<[string], number>(
    "select count(*) from posts where organization_id = ? and status = 'scheduled'",
  );
  const countUnsent = db.prepare<[string], number>(
    "select count(*) from posts where organization_id = ? and status <> 'sent'",
  );
  const countOn = db.prepare<[object], { sent: number; scheduled: number }>(COUNT_ON);
  return {
    ...createPostTags(db),
    list: createPostList(db),
    count: createPostCount(db),
    publishDue: (now) => void publishDue.run(now),
    write: (now, work) =>
      db
        .transaction(() => {
          publishDue.run(now);
          return work();
        })
        .immediate(),
    find(postId) {
      const row = byId.get(postId);
      return row && toPost(row);
    },
    add: (post) => void insert.run(toPostRow(post)),
    change: (post) => change.run(toPostRow(post)).changes > 0,
    move: (postId, dueAt, now) => void move.run(dueAt, now, postId),
    remove: (postId) => void remove.run(postId),
    queueOf: (channelId) => queueOf.all(channelId),
    countOn: (channelId, window, except) =>
      countOn.get({ channelId, except, ...window }) ?? { sent: 0, scheduled: 0 },
    countUnsent: (organizationId) => countUnsent.pluck().get(organizationId) ?? 0,
    countScheduled: (organizationId) => countScheduled.pluck().get(organizationId) ?? 0,
  };
}
