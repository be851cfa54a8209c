-- The calls of each app, so that those of very many tokens need not be added up while somebody waits for a page.
create table app_calls (
  client_id text not null,
  day text not null,
  endpoint text not null,
  carrier text not null,
  user_agent text not null,
  outcome text not null,
  calls integer not null,
  last_at integer not null,
  primary key (client_id, day, endpoint, carrier, user_agent, outcome)
) strict, without rowid;
create index app_calls_by_day on app_calls (day);

-- From which moment on they are whole: calls that were counted by token alone are not among them.
create table app_calls_begin (
  singleton integer not null unique check (singleton = 1),
  whole_after integer not null
) strict;
insert into app_calls_begin select 1, coalesce(max(last_at), 0) from usage;
