-- Whose browsers they are, and the calls of apps whose owners look on.
alter table sessions add column account_id text;
create index sessions_by_account on sessions (account_id) where account_id is not null;

create table watched_apps (
  client_id text primary key,
  until integer not null
) strict;

create table live_calls (
  id text primary key,
  client_id text not null,
  account_id text,
  at integer not null,
  method text not null,
  endpoint text not null,
  carrier text not null,
  user_agent text not null,
  network text not null,
  hint text,
  status integer not null,
  answered_by text not null
) strict;
create index live_calls_by_app on live_calls (client_id, id);
