-- Who looks after the tokens of others, how many tokens stood where on which day, and the history of one token at once.

create table staff (
  account_id text primary key,
  role text not null check (role in ('reader', 'agent', 'lead')),
  added_by text not null,
  added_at bigint not null
);

create table progress (
  client_id text not null references apps (client_id),
  day text not null,
  unmapped integer not null,
  active integer not null,
  reauthorization_required integer not null,
  revoked integer not null,
  migrated integer not null,
  waiting_people integer not null,
  primary key (client_id, day)
);

-- When the tokens were last counted.
create table progress_reading (
  singleton integer not null unique check (singleton = 1),
  counted_at bigint not null
);

-- All apps together, so that no page adds up the rows of each.
create table progress_of_all (
  day text primary key,
  unmapped integer not null,
  active integer not null,
  reauthorization_required integer not null,
  revoked integer not null,
  migrated integer not null,
  waiting_people integer not null
);

create index events_by_mapping on events (mapping_id, id) where mapping_id is not null;
create index events_by_grant on events (grant_id, id) where grant_id is not null;
-- What happened to an app itself, among the entries of a million tokens.
create index events_of_apps on events (client_id, id) where mapping_id is null and grant_id is null;
-- A token by four of its characters, and the tokens of one app page by page.
create index mappings_by_hint_first on mappings (hint_first) where hint_first is not null;
create index mappings_by_hint_last on mappings (hint_last) where hint_last is not null;
create index mappings_by_app on mappings (client_id, id);
-- Contacts in the letters in which somebody typed them.
create index app_contacts_by_address on app_contacts (lower(address));
-- People by how their names begin, by bytes as SQLite compares them; a whole name may be too long for an index.
create index accounts_by_name on accounts ((left(lower(name), 100) collate "C"), account_id) where name is not null;
drop index mappings_by_pair;
create index mappings_by_pair on mappings (client_id, account_id, id);
create index handovers_awaited on handovers (client_id, handed_at) where confirmed_at is null;

alter table mails add column settled_at bigint;
alter table mails add column settled_by text;
drop index mails_undeliverable;
create index mails_undeliverable on mails (ended_at) where state = 'undeliverable' and settled_at is null;
create index reminders_by_app on reminders (client_id, person);
create index mails_ended on mails (ended_at, state) where state in ('sent', 'undeliverable');

-- Whose browsers they are, and the calls of apps whose owners look on.
alter table sessions add column account_id text;
create index sessions_by_account on sessions (account_id) where account_id is not null;

create unlogged table watched_apps (
  client_id text primary key,
  until bigint not null
);

create unlogged table live_calls (
  id text primary key,
  client_id text not null,
  account_id text,
  at bigint not null,
  method text not null,
  endpoint text not null,
  carrier text not null,
  user_agent text not null,
  network text not null,
  hint text,
  status integer not null,
  answered_by text not null
);
create index live_calls_by_app on live_calls (client_id, id);
