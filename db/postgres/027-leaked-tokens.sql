-- A token that was reported as found in a place that others can read, and when it ends for that.
create table leaked_tokens (
  mapping_id text primary key references mappings (id),
  reported_at bigint not null,
  reported_by text not null,
  -- When the token is to be revoked; a later report may bring this forward, never put it off.
  ends_at bigint not null,
  -- When the token was revoked for this, or was found to have ended already.
  ended_at bigint,
  -- When nobody was left to be told.
  told_at bigint
);
create index leaked_tokens_open on leaked_tokens (mapping_id) where ended_at is null;
create index leaked_tokens_untold on leaked_tokens (mapping_id) where told_at is null;

-- A place where a token was found. Neither the token nor any other secret is kept of it.
create table leak_places (
  mapping_id text not null references leaked_tokens (mapping_id),
  place text not null,
  reported_at bigint not null,
  reported_by text not null,
  primary key (mapping_id, place)
);

-- Who was told of a leaked token: `planned_for` is its mapping.
create index reminders_of_leaks on reminders (planned_for) where stage = 'leaked';
