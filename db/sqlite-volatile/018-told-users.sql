-- Works from schema 16.
-- The text of user.json as an app was last told it, beside the answer about the account that it was made of. It goes with the answer.
create table told_users (
  grant_id text primary key,
  modern_client_id text not null,
  fetched_at integer not null,
  key text not null,
  text text not null
) strict;

create trigger told_users_of_replaced after update on answers begin
  delete from told_users where grant_id = old.grant_id;
end;

create trigger told_users_of_dropped after delete on answers begin
  delete from told_users where grant_id = old.grant_id;
end;
