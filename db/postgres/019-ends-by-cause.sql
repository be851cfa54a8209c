-- The connections that ended on one day, of each cause from the newest on.
create index grants_dead_by_cause on grants (dead_cause, dead_at, id) where state = 'dead';
