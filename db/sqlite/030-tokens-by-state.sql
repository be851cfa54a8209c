-- How many tokens of an app stand in each state, and of how many people, is one look into an index.
create index mappings_by_state on mappings (client_id, state, account_id, account_email);
