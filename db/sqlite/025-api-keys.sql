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
