-- Works from schema 24.
-- The keep-alive takes the grants that failed before in the order in which their rests ended, and so does the job that looks
-- into restored grants: one that fails again and again then goes behind the others.
create index grants_put_off on grants (retry_at) where state = 'ready' and retry_at > 0;
create index grants_restored_in_turn on grants (retry_at, access_expires_at) where restored_at is not null;
