-- `document` is the record as the main API serves it, in JSON: it is only ever read whole, by its id or its owner.
create table accounts (
  id text primary key,
  email text not null unique collate nocase,
  password_hash text not null,
  document text not null
) strict;

create table organizations (
  id text primary key,
  account_id text not null references accounts (id),
  position integer not null,
  document text not null
) strict;

create index organizations_by_account on organizations (account_id, position);

create table channels (
  id text primary key,
  organization_id text not null references organizations (id),
  position integer not null,
  document text not null
) strict;

create index channels_by_organization on channels (organization_id, position);
