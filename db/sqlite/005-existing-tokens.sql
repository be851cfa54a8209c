-- The tokens that existed before the bridge: where they come from, whom they wait for, and how they move over.

-- A check cannot be changed in place: the table is built anew, with what points at it left alone (migrations.ts).
create table apps_new (
  client_id text primary key,
  name text not null,
  owner_account_id text,
  owner_email text,
  source text not null check (source in ('registered', 'imported', 'observed', 'demo')),
  created_at integer not null,
  retired_at integer,
  modern_client_id text
) strict;
insert into apps_new (client_id, name, owner_account_id, owner_email, source, created_at, retired_at)
  select client_id, name, owner_account_id, owner_email, source, created_at, retired_at from apps;
drop table apps;
alter table apps_new rename to apps;
create index apps_by_owner on apps (owner_account_id) where owner_account_id is not null;
-- Addresses are kept as they are compared.
update apps set owner_email = lower(trim(owner_email)) where owner_email is not null;
create index apps_by_waiting_owner on apps (owner_email) where owner_account_id is null;

create table app_contacts (
  client_id text not null references apps (client_id),
  address text not null,
  primary key (client_id, address)
) strict;

create table modern_clients (
  id text primary key,
  client_id text not null references apps (client_id),
  secret_sealed text,
  scopes text not null,
  proven_at integer not null
) strict;

alter table mappings add column account_email text;
alter table mappings add column last_used_at integer;
alter table mappings add column legacy_account_id text;
create index mappings_by_account on mappings (account_id) where account_id is not null;
create index mappings_by_waiting_email on mappings (account_email) where account_id is null;
create index mappings_by_legacy_account on mappings (legacy_account_id)
  where account_id is null and legacy_account_id is not null;

create table id_pairs (
  kind text not null check (kind in ('profile', 'account')),
  legacy_id text not null,
  modern_id text,
  email text,
  source text not null check (source in ('imported', 'learned')),
  created_at integer not null,
  primary key (kind, legacy_id)
) strict;
create unique index id_pairs_by_modern on id_pairs (kind, modern_id) where modern_id is not null;
create index id_pairs_by_email on id_pairs (email, kind, legacy_id) where modern_id is null;

create table told_ids (
  client_id text not null references apps (client_id),
  kind text not null check (kind in ('profile', 'account')),
  modern_id text not null,
  told_id text not null,
  told_at integer not null,
  primary key (client_id, kind, modern_id)
) strict;

create table reauthorization_links (
  id text primary key,
  client_id text not null references apps (client_id),
  account_id text not null references accounts (account_id),
  created_at integer not null,
  used_at integer,
  unique (client_id, account_id)
) strict;

create table email_proofs (
  id text primary key,
  token_digest text not null unique,
  email text not null,
  account_id text not null,
  created_at integer not null,
  expires_at integer not null,
  used_at integer
) strict;

create table handovers (
  grant_id text primary key references grants (id),
  client_id text not null references apps (client_id),
  account_id text not null references accounts (account_id),
  version integer not null,
  migrated_tokens integer not null,
  handed_at integer not null,
  confirmed_at integer
) strict;
create index handovers_unconfirmed on handovers (handed_at) where confirmed_at is null;
create index handovers_by_pair on handovers (client_id, account_id);

-- What was handed over lives on at the modern side, with another holder.
drop index grants_by_account;
create index grants_by_account on grants (account_id, modern_client_id) where state <> 'dead' or dead_cause = 'handed_over';
create index grants_by_pair on grants (client_id, account_id, created_at);

-- A browser goes to the modern side for a sign-in and for a re-authorization too; neither has a callback of an app.
create table authorization_requests_new (
  id text primary key,
  purpose text not null default 'legacy' check (purpose in ('legacy', 'reauthorization', 'sign_in')),
  client_id text references apps (client_id),
  redirect_uri text,
  redirect_uri_given integer not null,
  state_sealed text,
  account_id text,
  evidence text,
  return_to text,
  phase text not null check (phase in ('new', 'consenting', 'returned', 'denied')),
  browser_digest text,
  upstream_state_digest text unique,
  verifier_sealed text,
  created_at integer not null,
  expires_at integer not null
) strict;
insert into authorization_requests_new (id, purpose, client_id, redirect_uri, redirect_uri_given, state_sealed, phase,
    browser_digest, upstream_state_digest, verifier_sealed, created_at, expires_at)
  select id, 'legacy', client_id, redirect_uri, redirect_uri_given, state_sealed, phase,
    browser_digest, upstream_state_digest, verifier_sealed, created_at, expires_at from authorization_requests;
drop table authorization_requests;
alter table authorization_requests_new rename to authorization_requests;
create index authorization_requests_by_expiry on authorization_requests (expires_at);
