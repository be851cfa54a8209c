-- How many tokens of an app stand in each state, and of how many people, is one look into an index.
create index mappings_by_state on mappings (client_id, state, account_id, account_email);

-- When an app last got tokens whose earlier calls were counted for another one.
create index events_of_moves on events (client_id, at)
  where action = 'token_assigned' or (action = 'token_changed' and reason >= 'import: app' and reason < 'import: apq');

-- The calls of each app, so that those of very many tokens need not be added up while somebody waits for a page.
create unlogged table app_calls (
  client_id text not null,
  day text not null,
  endpoint text not null,
  carrier text not null,
  user_agent text not null,
  outcome text not null,
  calls bigint not null,
  last_at bigint not null,
  primary key (client_id, day, endpoint, carrier, user_agent, outcome)
);
create index app_calls_by_day on app_calls (day);

-- From which moment on they are whole: calls that were counted by token alone are not among them.
create unlogged table app_calls_begin (
  singleton integer not null unique check (singleton = 1),
  whole_after bigint not null
);
insert into app_calls_begin select 1, coalesce(max(last_at), 0) from usage;
