-- Works from schema 24.
-- The tokens of an app in the order of their last use, of each state; and those that have stopped, by when.
create index mappings_by_use on mappings (client_id, state, coalesce(last_used_at, 0), id);
create index mappings_stopped on mappings (client_id, updated_at, id) where state = 'reauthorization_required';
-- What ended of one app, by cause and time.
create index grants_dead_by_app on grants (client_id, dead_cause, dead_at, id) where state = 'dead';

-- What support can find people by: the name and address of an account, or an address under which tokens wait.
create table people (
  id integer primary key,
  person text not null unique,
  words text not null
) strict;

-- Each three letters in a row, so that a part of a name is found by an index. `people` holds the words.
create virtual table people_grams using fts5 (words, content = 'people', content_rowid = 'id', tokenize = 'trigram', detail = 'none');

insert into people (person, words)
  select 'account:' || account_id, substr(trim(coalesce(name, '') || ' ' || coalesce(email, '')), 1, 400)
  from accounts where name is not null or email is not null;
insert into people (person, words)
  select distinct 'email:' || account_email, substr(account_email, 1, 400)
  from mappings where account_id is null and account_email is not null;
insert into people_grams (people_grams) values ('rebuild');

create trigger people_added after insert on people begin
  insert into people_grams (rowid, words) values (new.id, new.words);
end;
create trigger people_changed after update of words on people when new.words <> old.words begin
  insert into people_grams (people_grams, rowid, words) values ('delete', old.id, old.words);
  insert into people_grams (rowid, words) values (new.id, new.words);
end;
create trigger people_removed after delete on people begin
  insert into people_grams (people_grams, rowid, words) values ('delete', old.id, old.words);
end;

create trigger people_of_accounts after insert on accounts when new.name is not null or new.email is not null begin
  insert into people (person, words)
    values ('account:' || new.account_id, substr(trim(coalesce(new.name, '') || ' ' || coalesce(new.email, '')), 1, 400))
    on conflict (person) do update set words = excluded.words;
end;
create trigger people_of_changed_accounts after update of name, email on accounts
when new.name is not old.name or new.email is not old.email begin
  insert into people (person, words)
    values ('account:' || new.account_id, substr(trim(coalesce(new.name, '') || ' ' || coalesce(new.email, '')), 1, 400))
    on conflict (person) do update set words = excluded.words;
end;
create trigger people_of_waiting after insert on mappings when new.account_id is null and new.account_email is not null begin
  insert into people (person, words) values ('email:' || new.account_email, substr(new.account_email, 1, 400))
    on conflict (person) do nothing;
end;
create trigger people_of_pinned after update of account_id, account_email on mappings
when old.account_id is null and old.account_email is not null begin
  delete from people where person = 'email:' || old.account_email and not exists (
    select 1 from mappings where account_email = old.account_email and account_id is null);
end;
create trigger people_of_named after update of account_email on mappings
when new.account_id is null and new.account_email is not null begin
  insert into people (person, words) values ('email:' || new.account_email, substr(new.account_email, 1, 400))
    on conflict (person) do nothing;
end;
