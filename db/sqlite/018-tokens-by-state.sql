-- How many tokens of an app stand in each state, and of how many people, is one look into an index.
create index mappings_by_state on mappings (client_id, state, account_id, account_email);

-- When an app last got tokens whose earlier calls were counted for another one.
create index events_of_moves on events (client_id, at)
  where action = 'token_assigned' or (action = 'token_changed' and reason >= 'import: app' and reason < 'import: apq');
