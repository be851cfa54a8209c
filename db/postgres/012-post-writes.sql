-- What was sent to the new API to make or change a post; a row is there before the first byte, and never says what the post says.

create table post_writes (
  id text primary key,
  mapping_id text not null references mappings (id),
  account_id text not null,
  modern_client_id text not null,
  call text not null,
  organization_id text,
  channel_id text,
  -- Of text, channel and due time of a new post, so that it is known again.
  content_digest text,
  state text not null check (state in ('sending', 'done', 'refused', 'in_doubt', 'found', 'not_found')),
  refusal text,
  post_id text,
  request_id text,
  looks integer not null default 0,
  next_look_at bigint,
  sent_at bigint not null,
  settled_at bigint
);
-- A post was made by one write.
create unique index post_writes_made on post_writes (post_id) where call = 'create' and post_id is not null;
create index post_writes_open on post_writes (next_look_at) where state in ('sending', 'in_doubt');
create index post_writes_equal on post_writes (content_digest) where state in ('sending', 'in_doubt');
create index post_writes_of_token on post_writes (mapping_id, sent_at);
create index post_writes_sent on post_writes (sent_at);
