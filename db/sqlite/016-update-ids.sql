-- By which ids apps know updates. The old API told an app its own ids; nothing of what an update says is kept.

-- An update as the old API showed it to an account, and the post of the new API that it is, once that was found.
create table learned_updates (
  -- The account and the id of the old API.
  id text primary key,
  account_id text not null,
  old_id text not null,
  profile_id text not null,
  text_digest text not null,
  due_at integer not null,
  post_id text,
  seen_at integer not null
) strict;
create index learned_updates_text on learned_updates (account_id, text_digest);
create index learned_updates_post on learned_updates (account_id, post_id) where post_id is not null;
create index learned_updates_seen on learned_updates (seen_at);

-- A post that an app was told by the id of the new API while the old API could still tell another one.
create table told_posts (
  -- The app, the account and the post.
  id text primary key,
  told_at integer not null
) strict;
create index told_posts_told on told_posts (told_at);
