-- The authorization requests that wait for a person, in the order in which they expire: the oldest leave when too many wait.
create index oidc_records_waiting on oidc_records (expires_at) where kind = 'Interaction';
