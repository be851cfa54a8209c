-- Works from schema 28.
-- The accounts with stopped tokens, each with when its first one stopped, by the index alone.
create index mappings_stopped_by_account on mappings (account_id, updated_at) where state = 'reauthorization_required';

-- Under which names tokens wait that have no account: `email:ADDRESS`, or `old:ID` of a token without an address; and how
-- many wait under each. The desk of support lists them, the name with the most tokens first.
create table waiting_names (
  id text primary key default substr(replace(gen_random_uuid()::text, '-', ''), 1, 24),
  name text not null unique,
  tokens bigint not null
);
-- With the name, so that a search reads the index alone.
create index waiting_names_by_tokens on waiting_names (tokens, id, name);

create function name_that_waits(state text, account_id text, account_email text, legacy_account_id text) returns text
language sql immutable parallel safe as $$
  select case when state = 'unmapped' and account_id is null
    then coalesce('email:' || account_email, 'old:' || legacy_account_id) end
$$;

insert into waiting_names (name, tokens)
  select name_that_waits(state, account_id, account_email, legacy_account_id) as waits, count(*) from mappings
  where state = 'unmapped' and account_id is null and (account_email is not null or legacy_account_id is not null)
  group by waits;

create function count_waiting_names() returns trigger language plpgsql as $$
declare
  was text := case when tg_op = 'UPDATE'
    then name_that_waits(old.state, old.account_id, old.account_email, old.legacy_account_id) end;
  waits text := name_that_waits(new.state, new.account_id, new.account_email, new.legacy_account_id);
begin
  if was is not distinct from waits then return null; end if;
  if was is not null then
    update waiting_names set tokens = tokens - 1 where name = was;
    delete from waiting_names where name = was and tokens = 0;
  end if;
  if waits is not null then
    insert into waiting_names (name, tokens) values (waits, 1)
      on conflict (name) do update set tokens = waiting_names.tokens + 1;
  end if;
  return null;
end $$;
create trigger waiting_names_added after insert on mappings for each row
  when (new.state = 'unmapped' and new.account_id is null) execute function count_waiting_names();
create trigger waiting_names_changed after update of state, account_id, account_email, legacy_account_id on mappings
  for each row when (old.account_id is null or new.account_id is null) execute function count_waiting_names();
