-- Limits and the modern client's budget, as all processes together know them.

create table counts (
  key_digest text primary key,
  points integer not null,
  ends_at integer not null,
  changed_at integer not null
) strict;
create index counts_by_change on counts (changed_at);

create table budgets (
  modern_client_id text primary key,
  share_permille integer not null,
  said_at integer not null,
  valid_until integer not null,
  paused_until integer not null
) strict;
