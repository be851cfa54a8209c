-- The new API's last answers about posts: a list of a channel, or one post.
create unlogged table post_answers (
  id text primary key,
  grant_id text not null,
  body text not null,
  -- How many posts a list had when its end was last read.
  length integer,
  fetched_at bigint not null
);
create index post_answers_by_grant on post_answers (grant_id, fetched_at);
