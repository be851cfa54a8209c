-- What oidc-provider keeps. `id_digest` is SHA-256 of the value a client or browser holds (code, token, session cookie,
-- interaction id), so that a copy of this table lets nobody in. `payload` never repeats that value. Grant ids and
-- session uids are references, not credentials, and stand in clear so that they can be indexed.
create table oidc_records (
  kind text not null,
  id_digest text not null,
  payload text not null,
  grant_id text,
  uid text,
  account_id text,
  client_id text,
  created_at integer not null,
  expires_at integer,
  consumed_at integer,
  primary key (kind, id_digest)
) strict, without rowid;

create index oidc_records_by_grant on oidc_records (grant_id, kind) where grant_id is not null;
create index oidc_records_by_uid on oidc_records (uid) where uid is not null;
create index oidc_records_by_account on oidc_records (account_id) where kind = 'Grant';
create index oidc_records_by_expiry on oidc_records (expires_at) where expires_at is not null;

-- `secret_digest` is HMAC-SHA-256 with a key from the key file; null marks a public client.
create table clients (
  client_id text primary key,
  name text not null,
  secret_digest text,
  redirect_uris text not null,
  created_at text not null
) strict;
