-- What all processes must agree on before a refresh token is presented while answers are being lost (one row).

create table refresh_breaker (
  singleton integer not null unique check (singleton = 1),
  turn integer not null,
  tripped_at integer,
  next_at integer not null,
  pause integer not null,
  deaths_until integer not null
) strict;
insert into refresh_breaker (singleton, turn, next_at, pause, deaths_until) values (1, 0, 0, 0, 0);

alter table grants add column doubted_at integer;
create index grants_doubted on grants (doubted_at) where doubted_at is not null;
create index grants_presenting on grants (presented_at) where state = 'presenting';

-- When no connection came about, so that a good answer since then ends the rest.
alter table grants add column put_off_at integer;
