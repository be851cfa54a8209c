-- Works from schema 28.
-- The text of a list of posts as an app was last told it, beside the two answers that it was made of: the list (`answer_id`) and
-- the account (`grant_id`). It goes with either. Between `valid_from` and `valid_until` its words for days are right.
create unlogged table told_lists (
  id text primary key,
  answer_id text not null,
  grant_id text not null,
  modern_client_id text not null,
  fetched_at bigint not null,
  valid_from bigint not null,
  valid_until bigint not null,
  key text not null,
  text text not null
);

create index told_lists_of_answer on told_lists (answer_id);
create index told_lists_of_grant on told_lists (grant_id);

-- Once for each statement, and in the order of their ids: two statements that drop texts of one grant cannot wait for each other.
create function drop_told_lists_of_lists() returns trigger language plpgsql as $$
begin
  delete from told_lists where id in (
    select id from told_lists where answer_id in (select id from gone) order by id for update);
  return null;
end
$$;

create function drop_told_lists_of_accounts() returns trigger language plpgsql as $$
begin
  delete from told_lists where id in (
    select id from told_lists where grant_id in (select grant_id from gone) order by id for update);
  return null;
end
$$;

create trigger told_lists_of_changed after update on post_answers
  referencing old table as gone for each statement execute function drop_told_lists_of_lists();
create trigger told_lists_of_dropped after delete on post_answers
  referencing old table as gone for each statement execute function drop_told_lists_of_lists();

create trigger told_lists_of_changed_account after update on answers
  referencing old table as gone for each statement execute function drop_told_lists_of_accounts();
create trigger told_lists_of_dropped_account after delete on answers
  referencing old table as gone for each statement execute function drop_told_lists_of_accounts();
