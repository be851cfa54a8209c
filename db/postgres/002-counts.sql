-- Limits and the modern client's budget, as all processes together know them.

create unlogged table counts (
  key_digest text primary key,
  points bigint not null,
  ends_at bigint not null,
  changed_at bigint not null
);
create index counts_by_change on counts (changed_at);

create unlogged table budgets (
  modern_client_id text primary key,
  share_permille integer not null,
  said_at bigint not null,
  valid_until bigint not null,
  paused_until bigint not null
);
