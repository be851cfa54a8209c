-- Works from schema 28.
-- The names under which tokens wait are counted once for each statement, and no longer once for each token: a row that one
-- transaction changes again and again is read through all its versions, so an import of 5,000 tokens under one address took ten
-- seconds for it, and giving them an account took as long. The addresses that a search for people no longer finds had the same
-- fault, and are removed once for each statement too.
drop trigger waiting_names_added on mappings;
drop trigger waiting_names_changed on mappings;
drop function count_waiting_names();
drop trigger people_of_pinned on mappings;
drop function people_of_pinned();

-- Each statement changes names in their order, so that no two statements wait for each other in a circle.
create function change_waiting_name(changed text, by bigint) returns void language plpgsql as $$
begin
  insert into waiting_names (name, tokens) values (changed, by)
    on conflict (name) do update set tokens = waiting_names.tokens + by;
  if by < 0 then delete from waiting_names where name = changed and tokens = 0; end if;
end $$;

create function count_names_added() returns trigger language plpgsql as $$
declare
  change record;
begin
  for change in
    select name, count(*) as n from (
      select name_that_waits(state, account_id, account_email, legacy_account_id) as name from added
    ) waits where name is not null group by name order by name
  loop
    perform change_waiting_name(change.name, change.n);
  end loop;
  return null;
end $$;

create function count_names_changed() returns trigger language plpgsql as $$
declare
  change record;
begin
  -- Most changes are of tokens with an account, before and after.
  if not exists (select from before where account_id is null)
    and not exists (select from after where account_id is null) then return null; end if;
  for change in
    select name, sum(n)::bigint as n from (
      select name_that_waits(state, account_id, account_email, legacy_account_id) as name, -1 as n from before
      union all
      select name_that_waits(state, account_id, account_email, legacy_account_id), 1 from after
    ) waits where name is not null group by name having sum(n) <> 0 order by name
  loop
    perform change_waiting_name(change.name, change.n);
  end loop;
  delete from people using (
    select account_email from before where account_id is null and account_email is not null
    except select account_email from after where account_id is null
  ) gone where person = 'email:' || gone.account_email and not exists (
    select 1 from mappings m where m.account_email = gone.account_email and m.account_id is null);
  return null;
end $$;

create trigger waiting_names_added after insert on mappings
  referencing new table as added for each statement execute function count_names_added();
create trigger waiting_names_changed after update on mappings
  referencing old table as before new table as after for each statement execute function count_names_changed();
