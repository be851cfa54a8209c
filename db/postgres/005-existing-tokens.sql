-- The tokens that existed before the bridge: where they come from, whom they wait for, and how they move over.

alter table apps drop constraint apps_source_check;
alter table apps add constraint apps_source_check check (source in ('registered', 'imported', 'observed', 'demo'));
alter table apps add column modern_client_id text;
create index apps_by_owner on apps (owner_account_id) where owner_account_id is not null;
-- Addresses are kept as they are compared.
update apps set owner_email = lower(trim(owner_email)) where owner_email is not null;
create index apps_by_waiting_owner on apps (owner_email) where owner_account_id is null;

create table app_contacts (
  client_id text not null references apps (client_id),
  address text not null,
  primary key (client_id, address)
);

create table modern_clients (
  id text primary key,
  client_id text not null references apps (client_id),
  secret_sealed text,
  scopes text not null,
  proven_at bigint not null
);

alter table mappings add column account_email text;
alter table mappings add column last_used_at bigint;
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
  created_at bigint not null,
  primary key (kind, legacy_id)
);
create unique index id_pairs_by_modern on id_pairs (kind, modern_id) where modern_id is not null;
create index id_pairs_by_email on id_pairs (email, kind, legacy_id) where modern_id is null;

create table told_ids (
  client_id text not null references apps (client_id),
  kind text not null check (kind in ('profile', 'account')),
  modern_id text not null,
  told_id text not null,
  told_at bigint not null,
  primary key (client_id, kind, modern_id)
);

create table reauthorization_links (
  id text primary key,
  client_id text not null references apps (client_id),
  account_id text not null references accounts (account_id),
  created_at bigint not null,
  used_at bigint,
  unique (client_id, account_id)
);

create table email_proofs (
  id text primary key,
  token_digest text not null unique,
  email text not null,
  account_id text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);

create table handovers (
  grant_id text primary key references grants (id),
  client_id text not null references apps (client_id),
  account_id text not null references accounts (account_id),
  version integer not null,
  migrated_tokens integer not null,
  handed_at bigint not null,
  confirmed_at bigint
);
create index handovers_unconfirmed on handovers (handed_at) where confirmed_at is null;
create index handovers_by_pair on handovers (client_id, account_id);

-- What was handed over lives on at the modern side, with another holder.
drop index grants_by_account;
create index grants_by_account on grants (account_id, modern_client_id) where state <> 'dead' or dead_cause = 'handed_over';
create index grants_by_pair on grants (client_id, account_id, created_at);

-- A browser goes to the modern side for a sign-in and for a re-authorization too; neither has a callback of an app.
alter table authorization_requests add column purpose text not null default 'legacy'
  check (purpose in ('legacy', 'reauthorization', 'sign_in'));
alter table authorization_requests alter column client_id drop not null;
alter table authorization_requests alter column redirect_uri drop not null;
alter table authorization_requests add column account_id text;
alter table authorization_requests add column evidence text;
alter table authorization_requests add column return_to text;

create unlogged table sessions (
  id_digest text primary key,
  content text not null,
  expires_at bigint not null
);
create index sessions_by_expiry on sessions (expires_at);

create unlogged table usage (
  mapping_id text not null,
  day text not null,
  endpoint text not null,
  carrier text not null,
  user_agent text not null,
  outcome text not null,
  calls bigint not null,
  last_at bigint not null,
  primary key (mapping_id, day, endpoint, carrier, user_agent, outcome)
);
create index usage_by_day on usage (day);

create unlogged table shadow_differences (
  endpoint text not null,
  field text not null,
  difference text not null,
  times bigint not null,
  last_at bigint not null,
  primary key (endpoint, field, difference)
);
