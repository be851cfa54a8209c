-- Keys by id, a history that shows what was done to it, and what tells a restored copy from the original.

create table keys (
  purpose text not null check (purpose in ('digest', 'sealing', 'session', 'history')),
  id text not null,
  state text not null check (state in ('standby', 'active', 'old', 'dropped')),
  proof text not null,
  added_at bigint not null,
  changed_at bigint not null,
  primary key (purpose, id)
);
create unique index keys_active on keys (purpose) where state = 'active';
insert into keys (purpose, id, state, proof, added_at, changed_at)
  select purpose, split_part(proof, '.', 1), 'active', proof, 0, 0 from key_proofs;
drop table key_proofs;

create table key_holders (
  process_id text primary key,
  machine text not null,
  held text not null,
  seen_at bigint not null
);

alter table events add column uid text;
alter table events add column witness text;
alter table events add column position bigint;
alter table events add column chain text;
create unique index events_by_uid on events (uid);
create unique index events_by_position on events (position);
create index events_unchained on events (id) where position is null;

create table instance (
  singleton integer not null unique check (singleton = 1),
  id text primary key,
  state text not null check (state in ('original', 'copy')),
  epoch bigint not null,
  place text not null
);
insert into instance
  values (1, left(replace(gen_random_uuid()::text, '-', ''), 24), 'original', 0, '');

alter table grants add column restored_at bigint;
