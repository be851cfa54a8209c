-- Works from schema 28.
-- The text of user.json as an app was last told it, beside the answer about the account that it was made of. It goes with the answer.
create unlogged table told_users (
  grant_id text primary key,
  modern_client_id text not null,
  fetched_at bigint not null,
  key text not null,
  text text not null
);

-- Once for each statement, and in the order of the grants: two statements that drop texts cannot wait for each other.
create function drop_told_users() returns trigger language plpgsql as $$
begin
  delete from told_users where grant_id in (
    select grant_id from told_users where grant_id in (select grant_id from gone) order by grant_id for update);
  return null;
end
$$;

create trigger told_users_of_changed after update on answers
  referencing old table as gone for each statement execute function drop_told_users();
create trigger told_users_of_dropped after delete on answers
  referencing old table as gone for each statement execute function drop_told_users();
