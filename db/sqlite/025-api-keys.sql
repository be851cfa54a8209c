-- Works from schema 24.
-- A key with which a program acts as staff. Of the key itself only its digest is kept.
create table api_keys (
  id text primary key,
  name text not null,
  role text not null check (role in ('reader', 'agent', 'lead')),
  key_digest text not null unique,
  made_at integer not null,
  made_by text not null,
  -- The account that made the key on a page; the key may do no more than this account may do now.
  account_id text,
  expires_at integer not null,
  ended_at integer,
  ended_by text,
  -- To the hour.
  last_used_at integer
) strict;

-- A write that a program marked with an Idempotency-Key, and the answer to it, without secrets.
create table api_answers (
  id text primary key,
  key_id text not null references api_keys (id),
  request_key text not null,
  -- The operation and the digest of what was asked.
  request_digest text not null,
  asked_at integer not null,
  -- Null while nobody knows the outcome.
  status integer,
  answer text,
  unique (key_id, request_key)
) strict;
create index api_answers_by_time on api_answers (asked_at);

-- One action on many things at once, which a program asked for and the bridge does piece by piece.
create table bulk_jobs (
  id text primary key,
  action text not null check (action in ('extend_apps', 'assign_tokens', 'make_links')),
  -- JSON: what holds for all items.
  input text not null,
  reason text not null,
  -- An actor of the history, and the request that asked.
  asked_by text not null,
  request_id text,
  state text not null check (state in ('running', 'done', 'stopped', 'taking_back', 'taken_back')),
  made_at integer not null,
  ended_at integer
) strict;

create table bulk_items (
  id text primary key,
  job_id text not null references bulk_jobs (id),
  place integer not null,
  -- The client id, mapping id or account id that the item is about.
  subject text not null,
  state text not null check (state in ('waiting', 'running', 'done', 'refused', 'unknown', 'undoing', 'undone', 'kept')),
  claimed_at integer,
  -- JSON: what came of it, and what taking it back needs.
  answer text,
  unique (job_id, place)
) strict;
create index bulk_items_open on bulk_items (job_id, place) where state in ('waiting', 'running', 'undoing');
