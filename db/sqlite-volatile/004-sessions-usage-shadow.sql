-- Who is signed in, what is called how often, and where the two generations answer differently.

create table sessions (
  id_digest text primary key,
  content text not null,
  expires_at integer not null
) strict;
create index sessions_by_expiry on sessions (expires_at);

create table usage (
  mapping_id text not null,
  day text not null,
  endpoint text not null,
  carrier text not null,
  user_agent text not null,
  outcome text not null,
  calls integer not null,
  last_at integer not null,
  primary key (mapping_id, day, endpoint, carrier, user_agent, outcome)
) strict, without rowid;
create index usage_by_day on usage (day);

create table shadow_differences (
  endpoint text not null,
  field text not null,
  difference text not null,
  times integer not null,
  last_at integer not null,
  primary key (endpoint, field, difference)
) strict;
