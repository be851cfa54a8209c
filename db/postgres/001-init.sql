-- The tables of db/sqlite and, unlogged, of db/sqlite-volatile (db/SCHEMA.md).
-- Times are Unix milliseconds. Columns ending in _digest are keyed digests, columns ending in _sealed are AES-256-GCM.

create table apps (
  client_id text primary key,
  name text not null,
  owner_account_id text,
  owner_email text,
  source text not null check (source in ('registered', 'imported', 'demo')),
  created_at bigint not null,
  retired_at bigint
);

create table app_secrets (
  id text primary key,
  client_id text not null references apps (client_id),
  secret_digest text not null,
  created_at bigint not null,
  retired_at bigint
);
create index app_secrets_by_app on app_secrets (client_id);

create table app_callbacks (
  client_id text not null references apps (client_id),
  uri text not null,
  primary key (client_id, uri)
);

create table accounts (
  account_id text primary key,
  email text,
  name text,
  timezone text,
  updated_at bigint not null
);

create table authorization_requests (
  id text primary key,
  client_id text not null references apps (client_id),
  redirect_uri text not null,
  redirect_uri_given integer not null,
  state_sealed text,
  phase text not null check (phase in ('new', 'consenting', 'returned', 'denied')),
  browser_digest text,
  upstream_state_digest text unique,
  verifier_sealed text,
  created_at bigint not null,
  expires_at bigint not null
);
create index authorization_requests_by_expiry on authorization_requests (expires_at);

create table grants (
  id text primary key,
  client_id text not null references apps (client_id),
  account_id text not null references accounts (account_id),
  modern_client_id text not null,
  state text not null check (state in ('ready', 'presenting', 'in_doubt', 'dead')),
  version integer not null,
  access_token_sealed text,
  refresh_token_sealed text,
  scope text not null,
  access_expires_at bigint not null,
  refresh_at bigint not null,
  attempts integer not null default 0,
  presented_at bigint,
  doubt_since bigint,
  retry_at bigint not null default 0,
  suspect_count integer not null default 0,
  suspect_until bigint not null default 0,
  dead_at bigint,
  dead_cause text,
  created_at bigint not null,
  updated_at bigint not null,
  claim_id text,
  rotated_at bigint not null default 0
);
create index grants_idle on grants (rotated_at) where state = 'ready';
create index grants_unsettled on grants (retry_at) where state in ('presenting', 'in_doubt');
create unique index grants_live on grants (client_id, account_id) where state <> 'dead';
create index grants_by_account on grants (account_id, modern_client_id) where state <> 'dead';
create index grants_dead on grants (dead_at) where state = 'dead';

create table mappings (
  id text primary key,
  token_digest text not null unique,
  hint_first text,
  hint_last text,
  client_id text not null references apps (client_id),
  account_id text references accounts (account_id),
  grant_id text references grants (id),
  state text not null check (state in ('unmapped', 'active', 'reauthorization_required', 'revoked', 'migrated')),
  reason text,
  source text not null check (source in ('issued', 'imported', 'observed', 'registration')),
  created_at bigint not null,
  updated_at bigint not null
);
create index mappings_by_pair on mappings (client_id, account_id);
create index mappings_by_grant on mappings (grant_id);

create table legacy_codes (
  code_digest text primary key,
  client_id text not null references apps (client_id),
  redirect_uri text not null,
  redirect_uri_given integer not null,
  account_id text not null references accounts (account_id),
  grant_id text not null references grants (id),
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  mapping_id text references mappings (id) deferrable initially deferred
);
create index legacy_codes_by_expiry on legacy_codes (expires_at);

create table owed_revocations (
  id text primary key,
  grant_id text not null,
  token_sealed text not null,
  attempts integer not null default 0,
  next_at bigint not null,
  created_at bigint not null
);

create table events (
  id bigint generated always as identity primary key,
  at bigint not null,
  actor text not null,
  action text not null,
  client_id text,
  account_id text,
  grant_id text,
  mapping_id text,
  reason text,
  request_id text
);
create index events_by_pair on events (client_id, account_id);

create table key_proofs (
  purpose text primary key check (purpose in ('digest', 'sealing')),
  proof text not null
);

create unlogged table answers (
  grant_id text primary key,
  body text not null,
  organization_ids text not null,
  fetched_at bigint not null
);

create unlogged table leases (
  name text primary key,
  holder text not null,
  until bigint not null
);
