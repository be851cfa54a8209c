-- What people set up themselves. A client without an account comes from the settings of this server, not from a person.
alter table clients add column account_id text references accounts (id);
alter table clients add column confidential integer not null default 0;
update clients set confidential = 1 where secret_digest is not null;
create index clients_by_account on clients (account_id, created_at) where account_id is not null;

-- Two secrets of one client may live at once, so that an app can change over without a gap. `digest` is HMAC-SHA-256
-- with a key from the key file; `hint` the last four characters, for people to tell them apart.
create table client_secrets (
  digest text not null,
  client_id text not null references clients (client_id) on delete cascade,
  hint text not null,
  created_at text not null,
  primary key (client_id, digest)
) strict, without rowid;

insert into client_secrets (digest, client_id, hint, created_at)
select secret_digest, client_id, '', created_at from clients where secret_digest is not null;

alter table clients drop column secret_digest;

-- `digest` as above, over the whole key.
create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  digest text not null unique,
  hint text not null,
  created_at text not null,
  last_used_at text
) strict;

create index api_keys_by_account on api_keys (account_id, created_at);

-- When an app last called the main API for an account, to the minute.
create table app_uses (
  account_id text not null references accounts (id),
  client_id text not null,
  last_used_at text not null,
  primary key (account_id, client_id)
) strict, without rowid;

-- A new e-mail address waits here until the link that was sent to it is opened; a newer one of the same account takes
-- its place. `token_digest` is SHA-256 of the link's random part. Times in Unix seconds.
create table email_changes (
  account_id text primary key references accounts (id),
  token_digest text not null unique,
  email text not null,
  expires_at integer not null
) strict, without rowid;

-- A form that creates something carries a random value of its page; one that was used makes nothing a second time.
create table used_forms (
  form text primary key,
  used_at integer not null
) strict, without rowid;

-- Unix seconds. Whoever signed in before that did so with a password that counts no more.
alter table accounts add column password_set_at integer not null default 0;

create index oidc_sessions_by_account on oidc_records (account_id) where kind = 'Session';
