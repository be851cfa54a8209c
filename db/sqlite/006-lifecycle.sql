-- When what ends, for whom it ends later, and who was told of it.

create table lifecycle_dates (
  name text primary key check (name in ('deprecation', 'retirement', 'sunset')),
  at integer,
  changed_at integer not null,
  changed_by text not null
) strict;

create table extensions (
  id text primary key,
  client_id text not null references apps (client_id),
  name text not null check (name in ('retirement', 'sunset')),
  until integer not null,
  reason text not null,
  granted_by text not null,
  granted_at integer not null,
  ended_at integer,
  ended_by text
) strict;
create unique index extensions_in_force on extensions (client_id, name) where ended_at is null;

create table brownouts (
  id text primary key,
  client_id text references apps (client_id),
  rehearses text not null check (rehearses in ('retirement', 'sunset')),
  starts_at integer not null,
  ends_at integer not null check (ends_at > starts_at),
  text text not null,
  planned_by text not null,
  planned_at integer not null,
  removed_at integer
) strict;
create index brownouts_by_end on brownouts (ends_at) where removed_at is null;
create index brownouts_of_all on brownouts (ends_at) where client_id is null;
create index brownouts_by_app on brownouts (client_id, starts_at) where client_id is not null;

create table brownout_exemptions (
  id text primary key,
  client_id text not null references apps (client_id),
  until integer not null,
  reason text not null,
  granted_by text not null,
  granted_at integer not null,
  ended_at integer,
  ended_by text
) strict;
create unique index brownout_exemptions_in_force on brownout_exemptions (client_id) where ended_at is null;

create table mails (
  id text primary key,
  person text not null,
  day text not null,
  replaces text not null,
  address text,
  state text not null check (state in ('due', 'sending', 'sent', 'dropped', 'refused', 'undeliverable')),
  attempts integer not null,
  in_doubt integer not null default 0,
  next_at integer not null,
  claim_id text,
  claimed_at integer,
  failure text,
  created_at integer not null,
  ended_at integer
) strict;
create unique index mails_once_a_day on mails (person, day, replaces) where state <> 'dropped';
create index mails_by_next on mails (next_at) where state in ('due', 'sending');
create index mails_undeliverable on mails (ended_at) where state = 'undeliverable';

create table reminders (
  id text primary key,
  mail_id text not null references mails (id),
  person text not null,
  client_id text not null references apps (client_id),
  role text not null check (role in ('holder', 'owner')),
  stage text not null,
  planned_for text not null,
  created_at integer not null,
  dropped_at integer
) strict;
create unique index reminders_once on reminders (person, client_id, role, stage, planned_for)
  where dropped_at is null;
create index reminders_by_mail on reminders (mail_id);

create table stopped_addresses (
  address text primary key,
  mail_id text not null references mails (id),
  stopped_at integer not null
) strict;

-- A link in a reminder proves an address to whichever account with that address opens it.
create table email_proofs_new (
  id text primary key,
  token_digest text not null unique,
  email text not null,
  account_id text,
  created_at integer not null,
  expires_at integer not null,
  used_at integer
) strict;
insert into email_proofs_new select id, token_digest, email, account_id, created_at, expires_at, used_at from email_proofs;
drop table email_proofs;
alter table email_proofs_new rename to email_proofs;

alter table mappings add column woken_at integer;
alter table apps add column passed_at integer;

-- Until when the uses of tokens were read to keep the last ones.
create table last_use_reading (
  singleton integer not null unique check (singleton = 1),
  noted_at integer not null
) strict;

create index email_proofs_of_reminders on email_proofs (email) where account_id is null;
create index accounts_by_email on accounts (lower(email)) where email is not null;
