-- Works from schema 24.
-- A web address outside that is told of events: of an app, of the queues of support, or of everything for the operator.
create table webhooks (
  id text primary key,
  kind text not null,
  -- The app of a webhook of its owner.
  client_id text references apps (client_id),
  url text not null,
  -- The names of its events, with blanks between.
  events text not null,
  made_by text not null,
  created_at integer not null,
  -- When the last attempt ended, so that webhooks take turns.
  tried_at integer not null default 0,
  -- Attempts without success in a row, and until when no further one is made because of them.
  failures integer not null default 0,
  rest_until integer not null default 0,
  -- 1 while the receiver has not answered quickly: it shares few places with others of its kind.
  is_slow integer not null default 1,
  -- How many messages were left out because too many waited.
  left_out integer not null default 0
) strict;
create index webhooks_by_app on webhooks (client_id) where client_id is not null;

-- What its messages are signed with. The former one signs too until it ends.
create table webhook_secrets (
  id text primary key,
  webhook_id text not null references webhooks (id),
  signing_sealed text not null,
  created_at integer not null,
  ends_at integer
) strict;
create index webhook_secrets_of on webhook_secrets (webhook_id);

-- A message to one webhook. One process claims it for each attempt.
create table webhook_deliveries (
  id text primary key,
  webhook_id text not null references webhooks (id),
  event text not null,
  -- What the message tells, once for each webhook.
  told text not null,
  body text not null,
  state text not null,
  attempts integer not null default 0,
  next_at integer not null,
  claim_id text,
  claimed_at integer,
  -- Of the last attempt: the status of the answer, or why none counted.
  status integer,
  failure text,
  created_at integer not null,
  ended_at integer,
  unique (webhook_id, told)
) strict;
create index webhook_deliveries_open on webhook_deliveries (next_at) where state in ('due', 'sending');
create index webhook_deliveries_sending on webhook_deliveries (webhook_id) where state = 'sending';
create index webhook_deliveries_of on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;

-- How far the history was read for webhooks.
create table webhook_reading (
  singleton integer not null unique check (singleton = 1),
  position integer not null,
  chain text not null
) strict;
