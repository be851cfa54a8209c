-- The durable database: apps, codes, mappings, grants, what is owed upstream, and the history (db/SCHEMA.md).
-- Times are Unix milliseconds. Columns ending in _digest are keyed digests, columns ending in _sealed are AES-256-GCM.

create table apps (
  client_id text primary key,
  name text not null,
  owner_account_id text,
  owner_email text,
  source text not null check (source in ('registered', 'imported', 'demo')),
  created_at integer not null,
  retired_at integer
) strict;

create table app_secrets (
  id text primary key,
  client_id text not null references apps (client_id),
  secret_digest text not null,
  created_at integer not null,
  retired_at integer
) strict;
create index app_secrets_by_app on app_secrets (client_id);

create table app_callbacks (
  client_id text not null references apps (client_id),
  uri text not null,
  primary key (client_id, uri)
) strict;

create table accounts (
  account_id text primary key,
  email text,
  name text,
  timezone text,
  updated_at integer not null
) strict;

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
  created_at integer not null,
  expires_at integer not null
) strict;
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
  access_expires_at integer not null,
  refresh_at integer not null,
  attempts integer not null default 0,
  presented_at integer,
  doubt_since integer,
  retry_at integer not null default 0,
  suspect_count integer not null default 0,
  suspect_until integer not null default 0,
  dead_at integer,
  dead_cause text,
  created_at integer not null,
  updated_at integer not null
) strict;
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
  created_at integer not null,
  updated_at integer not null
) strict;
create index mappings_by_pair on mappings (client_id, account_id);
create index mappings_by_grant on mappings (grant_id);

create table legacy_codes (
  code_digest text primary key,
  client_id text not null references apps (client_id),
  redirect_uri text not null,
  redirect_uri_given integer not null,
  account_id text not null references accounts (account_id),
  grant_id text not null references grants (id),
  created_at integer not null,
  expires_at integer not null,
  used_at integer,
  mapping_id text references mappings (id) deferrable initially deferred
) strict;
create index legacy_codes_by_expiry on legacy_codes (expires_at);

create table owed_revocations (
  id text primary key,
  grant_id text not null,
  token_sealed text not null,
  attempts integer not null default 0,
  next_at integer not null,
  created_at integer not null
) strict;

create table events (
  id integer primary key autoincrement,
  at integer not null,
  actor text not null,
  action text not null,
  client_id text,
  account_id text,
  grant_id text,
  mapping_id text,
  reason text,
  request_id text
) strict;
create index events_by_pair on events (client_id, account_id);

create table key_proofs (
  purpose text primary key check (purpose in ('digest', 'sealing')),
  proof text not null
) strict;
