-- The calls of before this moment may have been lost, those of tokens and those of apps: a crash of the server empties unlogged
-- tables. 0 says that none were. A crash takes the row away too, and the next calls that are counted write it anew.
alter table app_calls_begin add column lost_before bigint not null default 0;
