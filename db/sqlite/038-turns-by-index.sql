-- Works from schema 24.
-- The keep-alive takes grants that no attempt has put off by the age of their pair, and the others by the end of their rest. One
-- index holds both, so that neither list reads the rows of the other, or of grants that are not idle.
create index grants_ready_in_turn on grants (retry_at, rotated_at) where state = 'ready';
drop index grants_put_off;
-- Revocations that are due: new ones, and those that failed before.
create index owed_revocations_new on owed_revocations (next_at) where attempts = 0;
create index owed_revocations_failed on owed_revocations (next_at) where attempts > 0;
