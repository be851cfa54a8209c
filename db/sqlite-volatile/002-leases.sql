-- What one process does while the others need not.

create table leases (
  name text primary key,
  holder text not null,
  until integer not null
) strict;
