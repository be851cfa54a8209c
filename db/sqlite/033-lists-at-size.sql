-- Works from schema 24.
-- The accounts with stopped tokens, each with when its first one stopped, by the index alone.
create index mappings_stopped_by_account on mappings (account_id, updated_at) where state = 'reauthorization_required';

-- Under which names tokens wait that have no account: `email:ADDRESS`, or `old:ID` of a token without an address; and how
-- many wait under each. The desk of support lists them, the name with the most tokens first.
create table waiting_names (
  id text primary key default (lower(hex(randomblob(12)))),
  name text not null unique,
  tokens integer not null
) strict;
-- With the name, so that a search reads the index alone.
create index waiting_names_by_tokens on waiting_names (tokens, id, name);

insert into waiting_names (name, tokens)
  select coalesce('email:' || account_email, 'old:' || legacy_account_id) as waits, count(*) from mappings
  where state = 'unmapped' and account_id is null and (account_email is not null or legacy_account_id is not null)
  group by waits;

create trigger waiting_names_added after insert on mappings
when new.state = 'unmapped' and new.account_id is null
  and (new.account_email is not null or new.legacy_account_id is not null) begin
  insert into waiting_names (name, tokens)
    values (coalesce('email:' || new.account_email, 'old:' || new.legacy_account_id), 1)
    on conflict (name) do update set tokens = tokens + 1;
end;
create trigger waiting_names_changed after update of state, account_id, account_email, legacy_account_id on mappings
when case when old.state = 'unmapped' and old.account_id is null
    then coalesce('email:' || old.account_email, 'old:' || old.legacy_account_id) end
  is not case when new.state = 'unmapped' and new.account_id is null
    then coalesce('email:' || new.account_email, 'old:' || new.legacy_account_id) end begin
  update waiting_names set tokens = tokens - 1
    where old.state = 'unmapped' and old.account_id is null
    and name = coalesce('email:' || old.account_email, 'old:' || old.legacy_account_id);
  delete from waiting_names where name = coalesce('email:' || old.account_email, 'old:' || old.legacy_account_id)
    and tokens = 0;
  insert into waiting_names (name, tokens)
    select coalesce('email:' || new.account_email, 'old:' || new.legacy_account_id), 1
    where new.state = 'unmapped' and new.account_id is null
    and (new.account_email is not null or new.legacy_account_id is not null)
    on conflict (name) do update set tokens = tokens + 1;
end;
