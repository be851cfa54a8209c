-- The text of profiles.json as an app was last told it, beside the answer that it was made of and not in its row: a plain call
-- reads the text alone. A text goes with its answer. Texts of earlier versions are made anew.
create table told_profiles (
  grant_id text primary key,
  modern_client_id text not null,
  fetched_at integer not null,
  key text not null,
  text text not null
) strict;

alter table answers drop column told_profiles;
alter table answers drop column told_profiles_key;

create trigger told_profiles_of_replaced after update on answers begin
  delete from told_profiles where grant_id = old.grant_id;
end;

create trigger told_profiles_of_dropped after delete on answers begin
  delete from told_profiles where grant_id = old.grant_id;
end;
