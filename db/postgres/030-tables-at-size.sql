-- Works from schema 28.
-- The tokens of an app in the order of their last use, of each state; and those that have stopped, by when.
create index mappings_by_use on mappings (client_id, state, coalesce(last_used_at, 0), id);
create index mappings_stopped on mappings (client_id, updated_at, id) where state = 'reauthorization_required';
-- What ended of one app, by cause and time.
create index grants_dead_by_app on grants (client_id, dead_cause, dead_at, id) where state = 'dead';

-- Each three letters in a row, so that a part of a name is found by an index.
create function grams_of(words text) returns text[] language sql immutable strict parallel safe as $$
  select array(select distinct substr(lower(words), n, 3) from generate_series(1, length(words) - 2) as n)
$$;

-- What support can find people by: the name and address of an account, or an address under which tokens wait.
create table people (
  id bigint generated always as identity primary key,
  person text not null unique,
  words text not null
);

insert into people (person, words)
  select 'account:' || account_id, substr(trim(coalesce(name, '') || ' ' || coalesce(email, '')), 1, 400)
  from accounts where name is not null or email is not null;
insert into people (person, words)
  select distinct 'email:' || account_email, substr(account_email, 1, 400)
  from mappings where account_id is null and account_email is not null;

create index people_grams on people using gin (grams_of(words));

create function people_of_account() returns trigger language plpgsql as $$
begin
  if new.name is null and new.email is null and tg_op = 'INSERT' then return null; end if;
  insert into people (person, words)
    values ('account:' || new.account_id, substr(trim(coalesce(new.name, '') || ' ' || coalesce(new.email, '')), 1, 400))
    on conflict (person) do update set words = excluded.words;
  return null;
end $$;
create trigger people_of_accounts after insert on accounts for each row execute function people_of_account();
create trigger people_of_changed_accounts after update of name, email on accounts for each row
  when (new.name is distinct from old.name or new.email is distinct from old.email)
  execute function people_of_account();

create function people_of_waiting() returns trigger language plpgsql as $$
begin
  insert into people (person, words) values ('email:' || new.account_email, substr(new.account_email, 1, 400))
    on conflict (person) do nothing;
  return null;
end $$;
create trigger people_of_waiting after insert or update of account_email on mappings for each row
  when (new.account_id is null and new.account_email is not null)
  execute function people_of_waiting();

create function people_of_pinned() returns trigger language plpgsql as $$
begin
  delete from people where person = 'email:' || old.account_email and not exists (
    select 1 from mappings where account_email = old.account_email and account_id is null);
  return null;
end $$;
create trigger people_of_pinned after update of account_id, account_email on mappings for each row
  when (old.account_id is null and old.account_email is not null)
  execute function people_of_pinned();
