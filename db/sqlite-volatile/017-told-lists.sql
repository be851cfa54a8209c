-- Works from schema 16.
-- The text of a list of posts as an app was last told it, beside the two answers that it was made of: the list (`answer_id`) and
-- the account (`grant_id`). It goes with either. Between `valid_from` and `valid_until` its words for days are right.
create table told_lists (
  id text primary key,
  answer_id text not null,
  grant_id text not null,
  modern_client_id text not null,
  fetched_at integer not null,
  valid_from integer not null,
  valid_until integer not null,
  key text not null,
  text text not null
) strict;

create index told_lists_of_answer on told_lists (answer_id);
create index told_lists_of_grant on told_lists (grant_id);

create trigger told_lists_of_changed after update on post_answers begin
  delete from told_lists where answer_id = old.id;
end;

create trigger told_lists_of_dropped after delete on post_answers begin
  delete from told_lists where answer_id = old.id;
end;

create trigger told_lists_of_changed_account after update on answers begin
  delete from told_lists where grant_id = old.grant_id;
end;

create trigger told_lists_of_dropped_account after delete on answers begin
  delete from told_lists where grant_id = old.grant_id;
end;
