-- Works from schema 28.
-- The oldest schema whose program works with the database since a migration. Nothing stands here of the migrations before
-- this one: a program of an older schema refuses a database that has a later one.
alter table schema_version add column works_from integer;
