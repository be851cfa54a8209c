-- Labels of an organization for its posts; `color` is hexadecimal, such as #F523F1.
create table tags (
  id text primary key,
  organization_id text not null references organizations (id),
  name text not null,
  color text not null,
  color_name text,
  is_locked integer not null default 0
) strict;

create index tags_by_organization on tags (organization_id, name);

-- What posts are looked for and published by stands in columns, times in Unix milliseconds; `document` is the content in
-- JSON, only ever read and written whole. `organization_id` is the channel's, repeated for the two lists below.
create table posts (
  id text primary key,
  organization_id text not null references organizations (id),
  channel_id text not null references channels (id),
  status text not null check (status in ('draft', 'needs_approval', 'scheduled', 'sending', 'sent', 'error')),
  share_mode text not null check (share_mode in ('addToQueue', 'shareNow', 'shareNext', 'customScheduled')),
  created_at integer not null,
  updated_at integer not null,
  due_at integer,
  sent_at integer,
  error_message text,
  document text not null,
  check (status <> 'scheduled' or due_at is not null),
  check ((status = 'sent') = (sent_at is not null))
) strict;

-- A post without a time sorts before all times, which are never negative.
create index posts_by_creation on posts (organization_id, created_at, id);
create index posts_by_time on posts (organization_id, ifnull(due_at, -1), id);
-- The queue of a channel, the scheduled posts of an organization, and what is due.
create index posts_in_queue on posts (channel_id, due_at) where status = 'scheduled';
create index posts_scheduled on posts (organization_id) where status = 'scheduled';
create index posts_due on posts (due_at) where status = 'scheduled';
-- How many unsent posts an organization holds is asked with every new one, however many were sent.
create index posts_unsent on posts (organization_id) where status <> 'sent';

create table post_tags (
  post_id text not null references posts (id) on delete cascade,
  tag_id text not null references tags (id),
  primary key (post_id, tag_id)
) strict, without rowid;

create index post_tags_by_tag on post_tags (tag_id);

-- A goal now says its status and period; one that was written before does not, and cannot be served.
update channels set document = json_set(document, '$.postingGoal', null)
where document ->> '$.postingGoal.goal' is not null and document ->> '$.postingGoal.status' is null;
