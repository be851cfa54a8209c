-- Works from schema 16.
-- The migrations from this one on. `works_from` is the oldest schema whose program works with the file since the
-- migration; a program of a schema before this one refuses every later file. `user_version` stays the number of the file.
create table schema_version (
  number integer primary key,
  works_from integer not null
) strict;
