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

-- In the order of their ids, so that two deletions cannot wait for each other.
create function drop_told_lists_of_list() returns trigger language plpgsql as $$
begin
  delete from told_lists
    where id in (select id from told_lists where answer_id = old.id order by id for update);
  return null;
end
$$;

create function drop_told_lists_of_account() returns trigger language plpgsql as $$
begin
  delete from told_lists
    where id in (select id from told_lists where grant_id = old.grant_id order by id for update);
  return null;
end
$$;

create trigger told_lists_of_list after update or delete on post_answers
  for each row execute function drop_told_lists_of_list();

create trigger told_lists_of_account after update or delete on answers
  for each row execute function drop_told_lists_of_account();
