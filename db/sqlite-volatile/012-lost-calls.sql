-- The calls of before this moment may have been lost, those of tokens and those of apps: the file may be made anew beside a
-- durable one. 0 says that none were. The row is not there then, and the next calls that are counted write it anew.
alter table app_calls_begin add column lost_before integer not null default 0;
